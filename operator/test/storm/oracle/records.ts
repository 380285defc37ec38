/** What resolvers see. */

import type { Call, History, RecordsFact, Violation } from "../history.js";
import { isWrite } from "../truth.js";

const OK = 200;

/** A record set that had values never becomes empty, unless its resource is deleted and says so. */
export function recordSetNeverEmptied(history: History): readonly Violation[] {
  const had = new Set<string>();
  return history.records.flatMap((fact) => {
    const { at, cloud, key, values, by } = fact;
    const place = `${cloud} ${key}`;
    const emptied = values.length === 0 && had.has(place);
    if (values.length > 0) had.add(place);
    else had.delete(place);
    if (!emptied || by === "hand" || mayEmpty(history, key, at) || hasUnseenRemoval(history, fact)) return [];
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

/** The operator reads a set every 10 minutes: until then it relies on a value that a person has removed. */
function hasUnseenRemoval({ records, calls }: History, emptied: RecordsFact): boolean {
  const facts = records.filter(
    ({ at, cloud, key }) => at < emptied.at && cloud === emptied.cloud && key === emptied.key,
  );
  const removedAt = new Map<string, number>();
  for (const [place, { at, values, by }] of facts.entries()) {
    const lost = by === "hand" ? (facts[place - 1]?.values ?? []) : [];
    for (const value of lost) removedAt.set(value, at);
    for (const value of values) removedAt.delete(value);
  }
  const isSeen = (at: number) => calls.some((call) => showsSet(call, emptied) && call.at > at && call.at < emptied.at);
  return [...removedAt.values()].some((at) => !isSeen(at));
}

/** A read of the set that was answered as the set is. */
function showsSet(call: Call, { cloud, key }: RecordsFact): boolean {
  if (call.cloud !== cloud || isWrite(call) || call.status !== OK || call.fault !== undefined) return false;
  const fqdn = key.slice(key.indexOf(" ") + 1);
  return [...new URLSearchParams(call.query).values()].includes(fqdn);
}
