/** How many addresses there may be, on how many nodes, and which of them may go. */

import type { History, HolderFact, ResourceState, Violation } from "../history.js";
import { isDone, isRelease, movesOf, ownerOf, settled, stableSpec } from "../truth.js";
import { BOUNDS, SECOND_MS } from "./bounds.js";

/** A machine never holds two addresses of a family, unless a person put one of them there. */
export function oneAddressPerNode(history: History): readonly Violation[] {
  const held = new Map<string, HolderFact>();
  const found: Violation[] = [];
  for (const fact of history.holders) {
    held.set(fact.ip, fact);
    if (typeof fact.holder !== "number") continue;
    const same = [...held.values()].filter(({ family, holder }) => family === fact.family && holder === fact.holder);
    if (same.length < 2 || same.some(({ by }) => by === "hand")) continue;
    const message = `droplet ${fact.holder} holds ${same.map(({ ip }) => ip).join(" and ")}`;
    found.push({ check: "one address per node", at: fact.at, message });
  }
  return found;
}

/** Addresses that came by a call of the operator, in order; those made by hand have another first fact. */
export function createdByOperator({ holders }: History): readonly HolderFact[] {
  const seen = new Set<string>();
  return holders.filter((fact) => {
    const first = !seen.has(fact.ip);
    seen.add(fact.ip);
    return first && fact.by === "api";
  });
}

/** The account never has more created addresses than all resources together may ever have needed. */
export function noMoreThanDesired(history: History): readonly Violation[] {
  const created = createdByOperator(history);
  return created.flatMap((fact, place) => {
    const gone = history.holders.filter(({ at, holder }) => at <= fact.at && holder === undefined).length;
    const needed = neededUntil(history, fact.at);
    if (place + 1 - gone <= needed) return [];
    const message = `${fact.ip} is address ${place + 1 - gone} that the operator created; all resources together needed ${needed} at most`;
    return [{ check: "no more than desiredIPs", at: fact.at, message }];
  });
}

/** The sum over all resources that ever were, by uid: under Retain, the addresses of a deleted one stay. */
function neededUntil({ resources }: History, at: number): number {
  let sum = 0;
  const most = new Map<string, number>();
  for (const { name, from, value } of resources) {
    if (from > at) break;
    sum += value === undefined ? (most.get(name) ?? 0) : 0;
    most.set(name, value === undefined ? 0 : Math.max(most.get(name) ?? 0, createdNeed(value)));
  }
  return [...most.values()].reduce((total, need) => total + need, sum);
}

function createdNeed({ kind, desired, listed }: ResourceState): number {
  if (kind === "set") return 0;
  return Math.max(0, desired - listed.length);
}

/** Released is only what a resource under Delete created, and only after it shrank or went. */
export function releasesAreRightful(history: History): readonly Violation[] {
  const made = new Set(createdByOperator(history).map(({ ip }) => ip));
  return settled(history)
    .filter((call) => isRelease(call) && isDone(call))
    .flatMap(({ at, path }) => {
      const ip = decodeURIComponent(path.split("/")[3] ?? "");
      const problem = made.has(ip) ? releaseProblem(history, ip, at) : "the operator had not created it";
      return problem === undefined ? [] : [{ check: "release", at, message: `${ip} was released: ${problem}` }];
    });
}

function releaseProblem(history: History, ip: string, at: number): string | undefined {
  const creators = history.objects.filter((fact) => fact.at <= at + SECOND_MS && fact.created.includes(ip));
  const names = [...new Set(creators.map(({ name }) => name))];
  if (names.length === 0) return "no resource had it among its created addresses";
  const specs = history.resources.filter(({ name, from }) => names.includes(name) && from <= at);
  const policies = specs.flatMap(({ value }) => (value === undefined ? [] : [value.release]));
  if (!policies.includes(true)) return `reclaimPolicy of ${names.join(", ")} was never Delete`;
  return specs.some(({ value }, place) => shrinks(specs[place - 1]?.value, value))
    ? undefined
    : `${names.join(", ")} had neither shrunk nor been deleted`;
}

function shrinks(before: ResourceState | undefined, after: ResourceState | undefined): boolean {
  if (before === undefined) return false;
  // One more listed address needs one created address less.
  return after === undefined || createdNeed(after) < createdNeed(before);
}

/** Between two assignments of a pool that the cloud took there lies the cool-off, measured at the cloud. */
export function coolOffHolds(history: History): readonly Violation[] {
  const last = new Map<string, { readonly at: number; readonly ip: string }>();
  return movesOf(history).flatMap(({ call, ip, target }) => {
    if (target === undefined || !isDone(call)) return [];
    const owner = ownerOf(history, ip, call.at);
    if (owner === undefined) return [];
    const before = last.get(owner.uid);
    last.set(owner.uid, { at: call.at, ip });
    const spec = stableSpec(history, owner.name, call.at - BOUNDS.settledMs, call.at);
    if (before === undefined || spec === undefined || spec.kind !== "pool") return [];
    const gap = call.at - before.at;
    if (gap >= spec.coolOffSeconds * SECOND_MS - BOUNDS.coolOffJitterMs) return [];
    const message = `${owner.name} assigned ${before.ip} and ${gap} ms later ${ip}; assignmentCoolOffSeconds is ${spec.coolOffSeconds}`;
    return [{ check: "cool-off", at: call.at, message }];
  });
}
