/** How long an address that is to be released, or whose ports are to close, waits until no DNS name leads to it. Pure. */

import type { DnsStatus } from "cdk8s-flipop/api";
import { timeOf } from "../../clock.js";
import type { ResourceRef } from "../../inventory/view.js";
import type { Problem } from "../../messages/message.js";
import { deletionMessages } from "../../messages/summary.js";
import { resolverSeconds } from "../../providers/diff.js";
import { isDesired } from "../../records/foreign-values.js";
import { fullNameOf } from "../../records/record-plan.js";
import { ttlOf } from "../../records/resolver-caches.js";
import { LONGEST_DRAIN_MS, SECOND_MS } from "../../timings.js";
import { type AddressSnapshot, isDeleting } from "../address-set.js";
import { dnsProviderOf } from "../desired-addresses.js";
import { isOurs, type Placement } from "../placements.js";
import { askedBy, isReleasable, isSpare } from "./releasable.js";

/** When a disabled address may leave its node: one TTL after it left DNS. `undefined`: the wait has not begun. */
export function drainedAt(snapshot: AddressSnapshot, placement: Placement): number | undefined {
  const [own, others] = [drainedOfOwn(snapshot, placement), drainedOfOthers(snapshot, placement)];
  return own === undefined || others === undefined ? undefined : Math.max(own, others);
}

/** The same for the resource's own record set. */
function drainedOfOwn(snapshot: AddressSnapshot, { was, address }: Placement): number | undefined {
  const { now, set, memory } = snapshot;
  if (recordsStay(snapshot)) return now;
  if (isPublished(snapshot, address.ip)) return undefined;
  const known = memory.leftDns?.get(address.ip) ?? timeOf(set.recordsCachedUntil) ?? 0;
  const cached = Math.min(known, now + LONGEST_DRAIN_MS);
  const recorded = recordedEnd(was);
  // What was never written needs no wait. An empty set may be one whose first change has failed half-way.
  if (recorded === undefined) return wasWritten(set) ? undefined : Math.max(cached, now);
  // A wait that began in the future is by another clock, and may have begun under a longer TTL.
  const isAhead = (timeOf(was.since) ?? now) > now;
  return Math.max(cached, Math.min(recorded, isAhead ? wholeDrain(snapshot) : now + LONGEST_DRAIN_MS));
}

function wasWritten({ writtenDns, begunRecords = [] }: AddressSnapshot["set"]): boolean {
  return writtenDns !== undefined || begunRecords.length > 0;
}

/** The same for the names of NodeDNSRecordSets. Whatever the policies: they lead to an address that somebody else gets. */
function drainedOfOthers(snapshot: AddressSnapshot, placement: Placement): number | undefined {
  const { now } = snapshot;
  if (!isReleasable(snapshot, placement) && !isSpare(snapshot, placement)) return now;
  const name = snapshot.nodeNameOf?.(placement.address.ip);
  if (name !== undefined) return name.until;
  const { dnsRecordSet, writtenDns } = snapshot.set;
  if (!recordsStay(snapshot) && (dnsRecordSet !== undefined || writtenDns !== undefined)) return now;
  // A former process has seen it leave its name.
  return Math.min(recordedEnd(placement.was) ?? now, now + LONGEST_DRAIN_MS);
}

/** What the status says of the end of a wait. */
function recordedEnd({ state, retryAt }: Placement["was"]): number | undefined {
  return state === "disabled" ? timeOf(retryAt) : undefined;
}

/** The name of a NodeDNSRecordSet that leads to an address which would be released. */
export function publisherOf(snapshot: AddressSnapshot, placement: Placement): ResourceRef | undefined {
  if (!isReleasable(snapshot, placement) || placement.certainty === "gone") return undefined;
  const name = snapshot.nodeNameOf?.(placement.address.ip);
  return name?.until === undefined ? name?.resource : undefined;
}

/** Addresses that are not released, because a NodeDNSRecordSet publishes them. */
export function publishedByOthers(snapshot: AddressSnapshot, placements: readonly Placement[]): Problem | undefined {
  const held = placements.filter((placement) => publisherOf(snapshot, placement) !== undefined);
  const [resource] = held.flatMap((placement) => publisherOf(snapshot, placement) ?? []);
  if (resource === undefined) return undefined;
  return deletionMessages.releasedAfterDns({ ips: held.map(({ address }) => address.ip), resource });
}

/** Addresses that are not released, because a former name of the resource still holds them. */
export function heldByFormerName(snapshot: AddressSnapshot, placements: readonly Placement[]): Problem | undefined {
  if (recordsStay(snapshot)) return undefined;
  const { writtenDns, dnsRecordSet: wanted, begunRecords = [] } = snapshot.set;
  const named = { wanted, provider: dnsProviderOf(snapshot.set) };
  const former = [...(writtenDns ? [writtenDns] : []), ...begunRecords].filter((written) => !isDesired(written, named));
  const waiting = placements.filter((placement) => leavesDns(snapshot, placement)).map(({ address }) => address.ip);
  const heldBy = ({ values }: DnsStatus) => waiting.filter((ip) => values.includes(ip));
  const holder = former.find((written) => heldBy(written).length > 0);
  if (holder === undefined) return undefined;
  return deletionMessages.releasedAfterFormerName({ ips: heldBy(holder), name: fullNameOf(undefined, holder) });
}

/** The end of a wait that begins now. */
function wholeDrain(snapshot: AddressSnapshot): number {
  const cached = timeOf(snapshot.set.recordsCachedUntil) ?? 0;
  return Math.min(Math.max(ttlFromNow(snapshot), cached), snapshot.now + LONGEST_DRAIN_MS);
}

function ttlFromNow({ set, dns, now }: AddressSnapshot): number {
  return now + Math.min(resolverSeconds(ttlOf(dns, set.dnsRecordSet)) * SECOND_MS, LONGEST_DRAIN_MS);
}

/** The TTL for which a deletion waits until then, seconds. `undefined`: another one, such as a former TTL or that of another resource. */
export function drainSeconds(snapshot: AddressSnapshot, until: number): number | undefined {
  const { set, dns } = snapshot;
  if (set.dnsRecordSet === undefined || recordsStay(snapshot)) return undefined;
  return until > ttlFromNow(snapshot) ? undefined : resolverSeconds(ttlOf(dns, set.dnsRecordSet));
}

/** A name may lead to it. */
export function isPublished({ set: { writtenDns, begunRecords = [] } }: AddressSnapshot, ip: string): boolean {
  return [writtenDns, ...begunRecords].some((written) => written?.values.includes(ip));
}

/** A deletion that leaves the records as they are does not wait for resolvers to forget them. */
function recordsStay({ set }: AddressSnapshot): boolean {
  return isDeleting(set) && set.dnsRecordSet !== undefined && set.dnsRecordSet.deletionPolicy !== "Delete";
}

/** What `retryAt` of a disabled address should say: the wait begins when DNS no longer has the address. */
export function drainUntil(snapshot: AddressSnapshot, placement: Placement): number | undefined {
  const { now } = snapshot;
  if (!leavesDns(snapshot, placement) && !isSpare(snapshot, placement)) return undefined;
  const others = drainedOfOthers(snapshot, placement);
  if (others === undefined) return undefined;
  // One that has ended is no time to report: each run would write another one.
  const ahead = others > now ? others : undefined;
  return recordsStay(snapshot) ? ahead : withOwnDrain(snapshot, placement, ahead);
}

function withOwnDrain(snapshot: AddressSnapshot, placement: Placement, ahead: number | undefined): number | undefined {
  if (isPublished(snapshot, placement.address.ip)) return undefined;
  const own = drainedOfOwn(snapshot, placement) ?? wholeDrain(snapshot);
  return own > snapshot.now || recordedEnd(placement.was) !== undefined ? Math.max(own, ahead ?? 0) : ahead;
}

/** Resolvers may still have it from DNS: as long as people may come by it, its ports stay open. */
export function isDraining(snapshot: AddressSnapshot, placement: Placement): boolean {
  return leavesDns(snapshot, placement) && (drainedAt(snapshot, placement) ?? Number.POSITIVE_INFINITY) > snapshot.now;
}

/** It is released after that, or the ports of a RoutedIP close. */
function leavesDns(snapshot: AddressSnapshot, placement: Placement): boolean {
  const { set } = snapshot;
  const closes = set.kind === "RoutedIP" && isDeleting(set) && isOurs(placement);
  return (closes || isReleasable(snapshot, placement)) && askedBy(placement) === undefined;
}
