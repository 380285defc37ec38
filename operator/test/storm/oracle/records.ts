/** What resolvers see. */

import type { Call, History, RecordsFact, Violation } from "../history.js";
import { isWrite, namesOf, stableSpec, valueAt } from "../truth.js";
import { BOUNDS } from "./bounds.js";
import { AGE_MS, isBlind, isCertainlyWell } from "./moves.js";

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

/** The address of a node that matches and is well never leaves the record sets of nodes. */
export function healthyNodeStaysPublished(history: History): readonly Violation[] {
  return history.records.flatMap((fact, place) => {
    if (fact.by === "hand" || fact.at > history.until || isBlind(history, fact.at)) return [];
    const before = history.records
      .slice(0, place)
      .findLast(({ cloud, key }) => cloud === fact.cloud && key === fact.key);
    const lost = before?.values.filter((value) => !fact.values.includes(value)) ?? [];
    return lost.flatMap((value) => lossProblem(history, fact, value));
  });
}

function lossProblem(history: History, { at, key }: RecordsFact, value: string): readonly Violation[] {
  const fqdn = key.slice(key.indexOf(" ") + 1);
  const name = namesOf(history.resources).find((one) => {
    const spec = stableSpec(history, one, at - BOUNDS.settledMs, at);
    return spec?.kind === "set" && spec.dns?.fqdn === fqdn;
  });
  const node = namesOf(history.nodes).find((one) => valueAt(history.nodes, one, at)?.externalIp === value);
  if (name === undefined || node === undefined) return [];
  const spec = stableSpec(history, name, at - BOUNDS.settledMs, at);
  const span = { from: at - AGE_MS, to: at };
  if (spec === undefined || !isCertainlyWell(history, { spec, node, span })) return [];
  const message = `${key} lost ${value} of ${node}, which had matched for at least ${AGE_MS} ms`;
  return [{ check: "a healthy node stays published", at, message }];
}

function mayEmpty({ resources }: History, key: string, at: number): boolean {
  const earlier = resources.filter(({ from }) => from <= at);
  return earlier.some(({ name, value }, place) => {
    if (value !== undefined) return false;
    const before = earlier.slice(0, place).findLast((fact) => fact.name === name)?.value;
    return before?.dns?.deletes === true && key.endsWith(` ${before.dns.fqdn}`);
  });
}

/** The operator reads a set again before it deletes some of its values, unless it has read it within the last second. */
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

/** Values of a set that a person added or removed, and that the operator has not read since. */
export function unseenByHand({ records, calls }: History, set: RecordSet): ReadonlySet<string> {
  const changedAt = new Map<string, number>();
  const facts = records.filter(({ cloud, key }) => cloud === set.cloud && key === set.key);
  for (const [place, { at, values, by }] of facts.entries()) {
    const before = facts[place - 1]?.values ?? [];
    const changed = [
      ...values.filter((value) => !before.includes(value)),
      ...before.filter((value) => !values.includes(value)),
    ];
    for (const value of changed) {
      if (by === "hand") changedAt.set(value, at);
      else changedAt.delete(value);
    }
  }
  const isSeen = (at: number) => calls.some((call) => showsSet(call, set) && call.at > at);
  return new Set([...changedAt].flatMap(([value, at]) => (isSeen(at) ? [] : [value])));
}

type RecordSet = Pick<RecordsFact, "cloud" | "key">;

/** A read of the set that was answered as the set is. */
function showsSet(call: Call, { cloud, key }: RecordSet): boolean {
  if (call.cloud !== cloud || isWrite(call) || call.status !== OK || call.fault !== undefined) return false;
  const fqdn = key.slice(key.indexOf(" ") + 1);
  return [...new URLSearchParams(call.query).values()].includes(fqdn);
}
