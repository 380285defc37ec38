/** The record set of a RoutedIP whose class works by Jobs: the operator writes it, as it does under an issuer. Pure. */

import { canonicalIp } from "cdk8s-flipop/api";
import { recordsInPlace, dnsReadyOf as sharedDnsReadyOf, valuesOf } from "../../../addresses/conditions.js";
import { recordChain, recordRemoval } from "../../../addresses/dns-records.js";
import { undonePauseUntil } from "../../../addresses/undone-writes.js";
import type { Problem } from "../../../messages/message.js";
import { lacksAddress, type PlannedCondition, unknown } from "../../../reconcile/conditions.js";
import { setsToDelete } from "../../../records/begun-records.js";
import type { RecordChain } from "../../../records/record-actions.js";
import { hasFinalizer, isDeleting } from "../deletion.js";
import type { Election } from "./node-election.js";
import { addressOf, type JobSnapshot } from "./snapshot.js";

/** Once a Job has assigned the address. Then the set stays as it is until the address serves, or another one takes its place. */
export function publishedOf(
  { routed }: JobSnapshot,
  { grace }: Election,
  conflict: Problem | undefined,
): readonly string[] {
  const { routedIP, providerID } = routed.status;
  const isUp = providerID !== undefined && (grace?.state === "matches" || grace?.state === "protected");
  if (conflict !== undefined || routedIP === undefined || !isUp) return [];
  const ip = canonicalIp(routedIP);
  return ip === addressOf(routed) ? [ip] : [];
}

/** The finalizer stands first: under Delete, the records go with the RoutedIP. */
export function recordsOf(
  snapshot: JobSnapshot,
  { published, able }: { readonly published: readonly string[]; readonly able: boolean },
): RecordChain {
  const { routed, set } = snapshot;
  if (isDeleting(routed)) return isRemoval(snapshot) ? recordRemoval(snapshot) : [];
  return able && hasFinalizer(routed) ? recordChain(snapshot, published, set.family) : [];
}

/** What the cleanup still has to delete, in words. */
export function recordsLeft(snapshot: JobSnapshot): readonly string[] {
  const { spec, status } = snapshot.routed;
  return setsToDelete({ ...spec, ...status }).map(({ recordName, zone }) => `record set ${recordName} in zone ${zone}`);
}

function isRemoval({ routed }: JobSnapshot): boolean {
  const { dnsRecordSet: wanted } = routed.spec;
  return wanted === undefined || wanted.deletionPolicy === "Delete";
}

/** `undefined`: the spec has no record set. */
export function dnsReadyOf(
  snapshot: JobSnapshot,
  election: Election,
  published: readonly string[],
): PlannedCondition | undefined {
  const ready = sharedDnsReadyOf(snapshot, { published, observed: snapshot.cachesComplete });
  if (ready === undefined || !lacksAddress(ready) || !isOnItsWay(snapshot, election)) return ready;
  const values = valuesOf(snapshot.set);
  if (values.join() !== addressOf(snapshot.routed)) return unknown("DNSReady");
  return recordsInPlace(snapshot, values);
}

/** The only address is no reason to worry about its record while a Job moves it, or while its node still answers. */
function isOnItsWay({ servesAt }: JobSnapshot, { holder, target }: Election): boolean {
  return target !== undefined || (holder !== undefined && servesAt(holder.name));
}

/** When the record set is to be read, or written, again; ms since the epoch. */
export function recordTimes({ dns, memory, now }: JobSnapshot): readonly (number | undefined)[] {
  const times = [dns?.retryAt, dns?.readAgainAt, undonePauseUntil(memory.reverts.get("records"), now)];
  return times.filter((time) => time !== undefined && time >= now);
}
