/** The order among waiting candidates. It never moves an address off a node that serves it. */

import type { NodePreference } from "cdk8s-flipop/api";
import type { ProviderId } from "../providers/types.js";
import { compareText } from "../values.js";
import type { NodeFacts } from "./node-facts.js";

type Order = (a: NodeFacts, b: NodeFacts) => number;

/** A sorted copy, most preferred first. */
export function inPreference(nodes: readonly NodeFacts[], preference: NodePreference): readonly NodeFacts[] {
  return [...nodes].sort(preference === "Name" ? byName : stable);
}

/** A sorted copy: machines to which no assignment failed lately (ms since the epoch), then the others in turn: a broken one keeps no address from them. */
export function leastRecentlyFailedFirst<T>(
  items: readonly T[],
  machineOf: (item: T) => ProviderId,
  failedAt?: ReadonlyMap<ProviderId, number>,
): readonly T[] {
  const rank = (item: T) => failedAt?.get(machineOf(item)) ?? 0;
  return [...items].sort((a, b) => rank(a) - rank(b));
}

/**
 * Nodes that will stay first: in a surge upgrade those are the new ones, and each address moves once. A further
 * tie-break, such as spread over zones, goes before the name.
 */
const TIE_BREAKS: readonly Order[] = [stayingFirst, newestKubeletFirst, youngestFirst, byName];

function stable(a: NodeFacts, b: NodeFacts): number {
  for (const order of TIE_BREAKS) {
    const difference = order(a, b);
    if (difference !== 0) return difference;
  }
  return 0;
}

function stayingFirst(a: NodeFacts, b: NodeFacts): number {
  return Number(a.cordoned || a.leaving) - Number(b.cordoned || b.leaving);
}

function newestKubeletFirst(a: NodeFacts, b: NodeFacts): number {
  return newerFirst(a.kubeletVersion, b.kubeletVersion);
}

/** Times of the API server have one form, which sorts as text. */
function youngestFirst(a: NodeFacts, b: NodeFacts): number {
  return -compareText(a.createdAt, b.createdAt);
}

function byName(a: NodeFacts, b: NodeFacts): number {
  return compareText(a.name, b.name);
}

/**
 * Below 0: `a` is newer. Numbers count as numbers, a pre-release is older than its release, and a vendor's build number
 * (`-gke.1014001`, `+k3s2`) decides last. What is no version is older than any. A vendor's hash says nothing.
 */
export function newerFirst(a: string, b: string): number {
  if (a === b) return 0;
  const [left, right] = [versionKey(a), versionKey(b)];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = (right[at] ?? -1) - (left[at] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

const VERSION = /^v?(\d+)\.(\d+)(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$/;
const STAGES = ["alpha", "beta", "rc"];
const RELEASED = STAGES.length;

/** Numbers that compare one after the other. */
function versionKey(version: string): readonly number[] {
  const [, major, minor, patch = "0", suffix = "", build = ""] = VERSION.exec(version) ?? [];
  if (major === undefined || minor === undefined) return [];
  const identifiers = suffix === "" ? [] : suffix.split(/[.-]/);
  const stage = STAGES.indexOf(identifiers[0] ?? "");
  return [
    ...[major, minor, patch].map(Number),
    stage < 0 ? RELEASED : stage,
    ...identifiers.filter((identifier) => /^\d+$/.test(identifier)).map(Number),
    ...build.split(/[.-]/).flatMap((identifier) => /\d+$/.exec(identifier)?.map(Number) ?? []),
  ];
}
