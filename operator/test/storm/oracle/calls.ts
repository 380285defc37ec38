/** How often the clouds are asked. */

import type { Call, History, Violation } from "../history.js";
import { isDone, isWrite, settled } from "../truth.js";
import { BOUNDS, SECOND_MS } from "./bounds.js";

/** One fact is not read again and again without a pause. A read that a fault struck told the operator nothing. */
export function noReadLoop(history: History): readonly Violation[] {
  const reads = settled(history).filter((call) => !isWrite(call) && isAnswered(call));
  return bursts(reads, factOf, BOUNDS.readsPerSecond).map(({ key, at, count }) => {
    const message = `${key} was read ${count} times in a second; at most ${BOUNDS.readsPerSecond} are sensible`;
    return { check: "no read loop", at, message };
  });
}

/** What the cloud refuses is not sent again and again without a pause. */
export function noWriteLoop(history: History): readonly Violation[] {
  const refused = settled(history).filter((call) => isWrite(call) && isAnswered(call) && !isDone(call));
  const sent = (call: Call) => `${factOf(call)} ${call.method} ${JSON.stringify(call.body)}`;
  return bursts(refused, sent, BOUNDS.refusalsPerSecond).map(({ key, at, count }) => {
    const message = `${key} was refused ${count} times in a second; at most ${BOUNDS.refusalsPerSecond} are sensible`;
    return { check: "no write loop", at, message };
  });
}

function isAnswered({ fault, status }: Call): boolean {
  return fault === undefined && status !== undefined && status !== 429;
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

interface Burst {
  readonly key: string;
  readonly at: number;
  readonly count: number;
}

/** The worst second of each kind of call that has more than `most`. */
function bursts(calls: readonly Call[], keyOf: (call: Call) => string, most: number): readonly Burst[] {
  const times = new Map<string, number[]>();
  for (const call of calls) {
    const known = times.get(keyOf(call));
    if (known === undefined) times.set(keyOf(call), [call.at]);
    else known.push(call.at);
  }
  return [...times].flatMap(([key, all]) => {
    const counts = all.map((at, place) => ({ key, at, count: countUntil(all, place, at + SECOND_MS) }));
    const worst = counts.reduce((a, b) => (b.count > a.count ? b : a));
    return worst.count > most ? [worst] : [];
  });
}

function countUntil(times: readonly number[], from: number, end: number): number {
  const after = times.findIndex((at, place) => place > from && at >= end);
  return (after < 0 ? times.length : after) - from;
}
