/**
 * The published nodes. Step 1: which record set, and which address of a node goes into it. Step 2: the addresses of a node
 * that a record set is about. Step 3: the nodes that match, those in grace, and if none is left, the cordoned ones, else
 * the previous ones.
 */

import {
  type DnsRecordSet,
  familyOf,
  type IpFamily,
  type NodeDNSRecordSetSpec,
  type PublishedAddress,
} from "cdk8s-flipop/api";
import { DEFAULT_DNS_PROVIDER } from "../../claims/read-claims.js";
import { timeOf, timestamp } from "../../clock.js";
import { holderKey } from "../../health/holder-registry.js";
import type { MassFailure } from "../../health/mass-failure.js";
import { stopOf } from "../../health/stopped-by-mass-failure.js";
import { type Grace, graceOf } from "../../match/grace.js";
import type { NodeFacts } from "../../match/node-facts.js";
import type { RecordType } from "../../providers/types.js";
import { addressesOf, offeredFamily, type PublishedKind, publishedKind } from "../../records/node-addresses.js";
import type { DnsSnapshot } from "../../records/record-actions.js";
import { ttlOf } from "../../records/resolver-caches.js";
import { compareText, omitUndefined } from "../../values.js";
import type { Snapshot } from "./resource.js";

/** Whether a change of a node can matter to the records. */
export function sameAddresses(a: NodeFacts, b: NodeFacts, desired: Desired): boolean {
  return `${addressesOf(a, desired)}` === `${addressesOf(b, desired)}`;
}

type Spec = Partial<NodeDNSRecordSetSpec>;

export interface Desired extends PublishedKind {
  /** DNS provider. */
  readonly provider: string;
  readonly recordSet: DnsRecordSet;
  /** Types of the records, in the order of the families. */
  readonly types: readonly RecordType[];
  readonly gracePeriodMs: number;
}

/** `undefined` for a spec that names no record set: then nothing is desired. */
export function desiredOf(spec: Spec): Desired | undefined {
  const recordSet = spec.dnsRecordSet;
  if (!recordSet?.zone || !recordSet.recordName) return undefined;
  const kind = publishedKind(spec);
  return {
    provider: recordSet.provider || spec.provider || DEFAULT_DNS_PROVIDER,
    recordSet,
    ...kind,
    types: kind.families.map((family) => (family === "IPv6" ? "AAAA" : "A")),
    gracePeriodMs: (spec.gracePeriodSeconds ?? 0) * 1000,
  };
}

/** Without a TTL in the spec, an existing one is left. */
export function ttlOfDesired({ recordSet }: Desired, dns: DnsSnapshot): number | "keep" {
  return recordSet.ttl ? ttlOf(dns, recordSet) : "keep";
}

export interface Publication {
  /** By node and family. */
  readonly entries: readonly PublishedAddress[];
  /** Canonical, sorted, each once. */
  readonly values: readonly string[];
  /** Those of `values` that no node stands for any more: a family is not emptied because its nodes are down. */
  readonly stale: readonly string[];
  /** Those of `values` whose nodes would match if they were not cordoned; no other node has an address of the family. */
  readonly cordoned: readonly string[];
  /** When the grace of the protected ones ends, and the mass failure; ms since the epoch. */
  readonly graceEnds: readonly number[];
  /** The stop that keeps failed nodes among the entries. */
  readonly massFailure?: MassFailure;
  /** Names of candidates that have no address of the type that is published. */
  readonly addressless: readonly string[];
  /** A family that is not published, and that one of these has an address of. */
  readonly offered?: IpFamily;
  /** Addresses that several of the candidates name. */
  readonly shared: readonly SharedAddress[];
  /** How many addresses there are beyond the most that a set may hold. */
  readonly cut: number;
}

export interface SharedAddress {
  readonly address: string;
  /** Names, sorted. */
  readonly nodes: readonly string[];
}

/** As many as a status may list. */
const MOST_ADDRESSES = 5000;

export function publicationOf(snapshot: Snapshot, desired: Desired): Publication {
  const matching = matchingOf(snapshot, desired);
  const protectedOnes = protectedOf(snapshot, desired);
  const better = [...matching.entries, ...protectedOnes.entries];
  const cordoned = cordonedOf(snapshot, desired, better);
  const alive = [...better, ...cordoned];
  const stale = desired.families
    .filter((family) => !alive.some(({ address }) => familyOf(address) === family))
    .flatMap((family) => lastOf(snapshot, family));
  const stopped = stoppedOf(snapshot, desired, [...alive, ...stale]);
  const all = [...alive, ...stale, ...stopped.entries].sort(byNode);
  const entries = all.slice(0, MOST_ADDRESSES);
  const { massFailure } = stopped;
  return {
    entries,
    values: unique(entries),
    stale: unique(stale),
    cordoned: unique(cordoned),
    graceEnds: massFailure === undefined ? protectedOnes.until : [...protectedOnes.until, massFailure.until],
    addressless: matching.addressless,
    shared: sharedIn(matching.entries),
    ...omitUndefined({ massFailure, offered: matching.offered }),
    cut: all.length - entries.length,
  };
}

/** Of the families for which there is nothing better: cordoned nodes still serve. */
function cordonedOf(
  snapshot: Snapshot,
  desired: Desired,
  better: readonly PublishedAddress[],
): readonly PublishedAddress[] {
  const lacking = desired.families.filter((family) => !better.some(({ address }) => familyOf(address) === family));
  if (lacking.length === 0) return [];
  return matchingOf({ candidates: snapshot.cordoned() }, { ...desired, families: lacking }).entries;
}

function matchingOf({ candidates }: Pick<Snapshot, "candidates">, desired: Desired) {
  const entries: PublishedAddress[] = [];
  const addressless: string[] = [];
  let offered: IpFamily | undefined;
  for (const node of candidates) {
    const addresses = addressesOf(node, desired);
    if (addresses.length === 0) {
      addressless.push(node.name);
      offered ??= offeredFamily(node, desired);
    }
    entries.push(...addresses.map((address) => ({ address, nodeName: node.name })));
  }
  return { entries, addressless: addressless.sort(), offered };
}

function sharedIn(entries: readonly PublishedAddress[]): readonly SharedAddress[] {
  const nodesOf = new Map<string, string[]>();
  for (const { address, nodeName } of entries) {
    const nodes = nodesOf.get(address);
    if (nodes === undefined) nodesOf.set(address, [nodeName]);
    else nodes.push(nodeName);
  }
  return [...nodesOf].flatMap(([address, nodes]) => (nodes.length === 1 ? [] : [{ address, nodes: nodes.sort() }]));
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

/** Failed nodes that were published, where so many fail that the cause may be the control plane. */
function stoppedOf(
  snapshot: Snapshot,
  desired: Desired,
  kept: readonly PublishedAddress[],
): { readonly entries: readonly PublishedAddress[]; readonly massFailure: MassFailure | undefined } {
  const { massFailures, now, resource, verdictOf } = snapshot;
  if (massFailures === undefined) return { entries: [], massFailure: undefined };
  const isKept = new Set(kept.map(({ address }) => address));
  const found = publishedBefore(snapshot, desired).flatMap((entry) => {
    const grace = isKept.has(entry.address) ? undefined : graceFor(snapshot, entry, desired);
    const verdict = verdictOf(entry.nodeName);
    if (grace?.state !== "over" || verdict === undefined) return [];
    const holder = { machine: holderKey(verdict.node), verdict, grace };
    const stop = stopOf({ massFailures, now, metadata: resource.metadata }, holder);
    return stop === undefined ? [] : [{ stop, entry: { ...entry, graceSince: timestamp(grace.since) } }];
  });
  return { entries: found.map(({ entry }) => entry), massFailure: found[0]?.stop };
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

/** Of the desired families, as the status has them. */
function publishedBefore({ resource }: Snapshot, { families }: Desired): readonly PublishedAddress[] {
  return (resource.status.addresses ?? []).filter(({ address }) => families.includes(familyOf(address)));
}

function lastOf({ resource }: Snapshot, family: IpFamily): readonly PublishedAddress[] {
  return (resource.status.addresses ?? []).filter(({ address }) => familyOf(address) === family);
}

function unique(entries: readonly PublishedAddress[]): readonly string[] {
  return [...new Set(entries.map(({ address }) => address))].sort();
}

/** A total order: if two entries could swap places, the status would change, and lead to the next run, again and again. */
export function byNode(a: PublishedAddress, b: PublishedAddress): number {
  const ofFamily = compareText(familyOf(a.address), familyOf(b.address));
  return compareText(a.nodeName, b.nodeName) || ofFamily || compareText(a.address, b.address);
}
