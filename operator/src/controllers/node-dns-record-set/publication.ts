/** Step 3: the published nodes: those that match, those in grace, and if none is left, the previous ones. */

import { familyOf, type IpFamily, type PublishedAddress } from "cdk8s-flipop/api";
import { type Grace, graceOf } from "../../match/grace.js";
import { omitUndefined } from "../../omit-undefined.js";
import { timeOf, timestamp } from "../../times.js";
import { addressesOf } from "./node-addresses.js";
import type { Snapshot } from "./snapshot.js";
import type { Desired } from "./wish.js";

export interface Publication {
  /** By node and family. */
  readonly entries: readonly PublishedAddress[];
  /** Canonical, sorted, each once. */
  readonly values: readonly string[];
  /** Those of `values` that no node stands for any more: a family is not emptied because its nodes are down. */
  readonly stale: readonly string[];
  /** When the grace of the protected ones ends, ms since the epoch. */
  readonly graceEnds: readonly number[];
  /** Names of candidates that have no address of the type that is published. */
  readonly addressless: readonly string[];
  /** How many addresses there are beyond the most that a set may hold. */
  readonly cut: number;
}

/** As many as a status may list. */
const MOST_ADDRESSES = 5000;

export function publicationOf(snapshot: Snapshot, desired: Desired): Publication {
  const matching = matchingOf(snapshot, desired);
  const protectedOnes = protectedOf(snapshot, desired);
  const alive = [...matching.entries, ...protectedOnes.entries];
  const stale = desired.families
    .filter((family) => !alive.some(({ address }) => familyOf(address) === family))
    .flatMap((family) => lastOf(snapshot, family));
  const all = [...alive, ...stale].sort(byNode);
  const entries = all.slice(0, MOST_ADDRESSES);
  return {
    entries,
    values: unique(entries),
    stale: unique(stale),
    graceEnds: protectedOnes.until,
    addressless: matching.addressless,
    cut: all.length - entries.length,
  };
}

function matchingOf({ candidates }: Snapshot, desired: Desired) {
  const entries: PublishedAddress[] = [];
  const addressless: string[] = [];
  for (const node of candidates) {
    const addresses = addressesOf(node, desired);
    if (addresses.length === 0) addressless.push(node.name);
    entries.push(...addresses.map((address) => ({ address, nodeName: node.name })));
  }
  return { entries, addressless: addressless.sort() };
}

/** Nodes that were published and may recover. */
function protectedOf(snapshot: Snapshot, desired: Desired) {
  const graces = publishedBefore(snapshot, desired).flatMap((entry) => {
    const grace = graceFor(snapshot, entry, desired);
    return grace?.state === "protected" ? [{ entry, grace }] : [];
  });
  return {
    entries: graces.map(({ entry, grace }) => ({ ...entry, graceSince: timestamp(grace.since) })),
    until: graces.map(({ grace }) => grace.until),
  };
}

/** A node of the same name with another address is another machine, or has moved: grace is not for it. */
function graceFor(
  { verdictOf, now, leadsSince }: Snapshot,
  entry: PublishedAddress,
  desired: Desired,
): Grace | undefined {
  const verdict = verdictOf(entry.nodeName);
  if (verdict === undefined || !addressesOf(verdict.node, desired).includes(entry.address)) return undefined;
  const since = timeOf(entry.graceSince);
  const memory = since === undefined ? {} : { since };
  return graceOf({ verdict, memory, periodMs: desired.gracePeriodMs, now, ...omitUndefined({ leadsSince }) });
}

/** Of the families that are wished, as the status has them. */
function publishedBefore({ resource }: Snapshot, { families }: Desired): readonly PublishedAddress[] {
  return (resource.status.addresses ?? []).filter(({ address }) => families.includes(familyOf(address)));
}

function lastOf({ resource }: Snapshot, family: IpFamily): readonly PublishedAddress[] {
  return (resource.status.addresses ?? []).filter(({ address }) => familyOf(address) === family);
}

function unique(entries: readonly PublishedAddress[]): readonly string[] {
  return [...new Set(entries.map(({ address }) => address))].sort();
}

function byNode(a: PublishedAddress, b: PublishedAddress): number {
  if (a.nodeName !== b.nodeName) return a.nodeName < b.nodeName ? -1 : 1;
  return familyOf(a.address) < familyOf(b.address) ? -1 : 1;
}
