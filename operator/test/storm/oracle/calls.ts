/** How often the clouds are asked. */

import type { Call, History, Violation } from "../history.js";
import { isDone, isWrite, settled } from "../truth.js";
import { BOUNDS, MINUTE_MS, SECOND_MS } from "./bounds.js";

/**
 * One fact is not read again and again without a change or a pause. A read that a fault struck gave the operator nothing,
 * and a write to the same thing, refused or not, is a reason to look again.
 */
export function noReadLoop(history: History): readonly Violation[] {
  const calls = settled(history);
  const reads = calls.filter((call) => !isWrite(call) && isAnswered(call));
  return bursts(reads, factOf, BOUNDS.readsPerSecond).flatMap(({ key, at, count, path, caller }) => {
    const subject = subjectOf(path);
    const isAbout = (call: Call) => isWrite(call) && call.caller === caller && call.path.startsWith(subject);
    const writes = calls.filter(
      (call) => isAbout(call) && call.at >= at - SECOND_MS && call.at < at + SECOND_MS,
    ).length;
    if (count <= BOUNDS.readsPerSecond * (writes + 1)) return [];
    const message = `${key} was read ${count} times in a second, with ${writes} writes; at most ${BOUNDS.readsPerSecond} for each are sensible`;
    return [{ check: "no read loop", at, message }];
  });
}

/** The list of addresses contains those of the account's own ranges: the operator reads both together. */
function subjectOf(path: string): string {
  return path === "/v2/byoip_prefixes" ? "/v2/reserved_ips" : path;
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

/** No status differs in each run, so that its own write brings the next run. */
export function noStatusLoop({ objects }: History): readonly Violation[] {
  const { most, withinMs } = BOUNDS.objectWrites;
  const loops = [...new Set(objects.map(({ uid }) => uid))].flatMap((uid) => {
    const writes = objects.filter((write) => write.uid === uid);
    const at = writes.findIndex((write, index) => write.at - (writes[index - most]?.at ?? 0) <= withinMs);
    return at < 0 ? [] : writes.slice(at, at + 1);
  });
  return loops.map(({ name, at }) => {
    return {
      check: "no status loop",
      at,
      message: `${name} was written more than ${most} times in ${withinMs / SECOND_MS} s`,
    };
  });
}

function isAnswered({ fault, status }: Call): boolean {
  return fault === undefined && status !== undefined && status !== 429;
}

/**
 * The limiter keeps below the clouds' limits: every 429 is one that the storm injected, or the creation by a new leader
 * that does not know how many addresses the former one has just created.
 */
export function noLimitReached(history: History): readonly Violation[] {
  const calls = settled(history);
  return calls
    .filter(({ status, fault }) => status === 429 && fault === undefined)
    .filter((call) => !isCreation(call) || createdBefore(calls, call) >= BOUNDS.createsPerMinute)
    .map(({ at, caller, method, path }) => {
      return { check: "rate limit", at, message: `${caller} ran into the cloud's limit with ${method} ${path}` };
    });
}

function isCreation({ method, path }: Call): boolean {
  return method === "POST" && path === "/v2/reserved_ips";
}

/** Creations that the same process sent in the minute before. */
function createdBefore(calls: readonly Call[], { caller, at }: Call): number {
  const minute = calls.filter((call) => call.caller === caller && call.at < at && call.at >= at - MINUTE_MS);
  return minute.filter(isCreation).length;
}

function factOf({ caller, cloud, path, query }: Call): string {
  return `${caller} ${cloud} ${path}${query === "" ? "" : `?${query}`}`;
}

interface Burst extends Pick<Call, "path" | "caller"> {
  readonly key: string;
  readonly at: number;
  readonly count: number;
}

/** The worst second of each kind of call that has more than `most`. */
function bursts(calls: readonly Call[], keyOf: (call: Call) => string, most: number): readonly Burst[] {
  const groups = new Map<string, Call[]>();
  for (const call of calls) {
    const known = groups.get(keyOf(call));
    if (known === undefined) groups.set(keyOf(call), [call]);
    else known.push(call);
  }
  return [...groups].flatMap(([key, all]) => {
    const times = all.map(({ at }) => at);
    const counts = all.map(({ at, path, caller }, place) => {
      return { key, at, path, caller, count: countUntil(times, place, at + SECOND_MS) };
    });
    const worst = counts.reduce((a, b) => (b.count > a.count ? b : a));
    return worst.count > most ? [worst] : [];
  });
}

function countUntil(times: readonly number[], from: number, end: number): number {
  const after = times.findIndex((at, place) => place > from && at >= end);
  return (after < 0 ? times.length : after) - from;
}
