/** What resolvers see. */

import type { History, Violation } from "../history.js";

/** A record set that had values never becomes empty, unless its resource is deleted and says so. */
export function recordSetNeverEmptied(history: History): readonly Violation[] {
  const had = new Set<string>();
  return history.records.flatMap(({ at, cloud, key, values, by }) => {
    const place = `${cloud} ${key}`;
    const emptied = values.length === 0 && had.has(place);
    if (values.length > 0) had.add(place);
    else had.delete(place);
    if (!emptied || by === "hand" || mayEmpty(history, key, at)) return [];
    return [{ check: "record set never emptied", at, message: `${key} at ${cloud} lost its last value` }];
  });
}

function mayEmpty({ resources }: History, key: string, at: number): boolean {
  const earlier = resources.filter(({ from }) => from <= at);
  return earlier.some(({ name, value }, place) => {
    if (value !== undefined) return false;
    const before = earlier.slice(0, place).findLast((fact) => fact.name === name)?.value;
    return before?.dns?.deletes === true && key.endsWith(` ${before.dns.fqdn}`);
  });
}
