/** How often the clouds are asked. */

import type { Call, History, Violation } from "../history.js";
import { isWrite, settled } from "../truth.js";
import { BOUNDS, SECOND_MS } from "./bounds.js";

/** One fact is not read again and again without a pause. A read that a fault struck told the operator nothing. */
export function noReadLoop(history: History): readonly Violation[] {
  const reads = settled(history).filter((call) => !isWrite(call) && call.fault === undefined && call.status !== 429);
  return [...groupBy(reads, factOf)].flatMap(([fact, calls]) => {
    const burst = burstOf(calls);
    if (burst === undefined) return [];
    const message = `${fact} was read ${burst.count} times in a second; at most ${BOUNDS.readsPerSecond} are sensible`;
    return [{ check: "no read loop", at: burst.at, message }];
  });
}

/** The limiter keeps below the clouds' limits: every 429 is one that the storm injected. */
export function noLimitReached(history: History): readonly Violation[] {
  return settled(history)
    .filter(({ status, fault }) => status === 429 && fault === undefined)
    .map(({ at, caller, method, path }) => {
      return { check: "rate limit", at, message: `${caller} ran into the cloud's limit with ${method} ${path}` };
    });
}

function factOf({ caller, cloud, path, query }: Call): string {
  return `${caller} ${cloud} ${path}${query === "" ? "" : `?${query}`}`;
}

function groupBy(calls: readonly Call[], key: (call: Call) => string): ReadonlyMap<string, readonly Call[]> {
  const groups = new Map<string, Call[]>();
  for (const call of calls) groups.set(key(call), [...(groups.get(key(call)) ?? []), call]);
  return groups;
}

/** The worst second. */
function burstOf(calls: readonly Call[]): { readonly at: number; readonly count: number } | undefined {
  const bursts = calls.map(({ at }, place) => {
    const count = calls.slice(place).filter((other) => other.at < at + SECOND_MS).length;
    return { at, count };
  });
  const worst = bursts.reduce<{ at: number; count: number } | undefined>(
    (most, burst) => (burst.count > (most?.count ?? BOUNDS.readsPerSecond) ? burst : most),
    undefined,
  );
  return worst;
}
