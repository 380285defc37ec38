/** What the clean-up of a deleted resource has not done yet, and what it leaves to people. */

import type { PendingCreation } from "cdk8s-flipop/api";
import type { AddressSnapshot } from "./address-set.js";
import { settle } from "./creation/creation-recovery.js";
import type { Placement } from "./grace.js";
import { isHeldBack } from "./release.js";

/** @param kept what is not released, since it may belong to somebody else */
export function whyOver(left: readonly string[], kept: readonly string[]): string {
  if (left.length > 0) return "the deadline of the clean-up has passed";
  return kept.length === 0 ? "all is cleaned up" : "what is left may belong to somebody else: check that first";
}

/** Descriptions of the addresses that stay though the policy is Delete: no answer shows that they are ours. */
export function keptBack(snapshot: AddressSnapshot, placements: readonly Placement[]): readonly string[] {
  if (snapshot.set.reclaimPolicy !== "Delete") return [];
  const { pendingCreation: intent } = snapshot.set;
  const inferred = placements.filter((placement) => isHeldBack(snapshot, placement));
  return [...inferred.map(({ address }) => `address ${address.ip}`), ...undecided(snapshot, intent)];
}

/** In words; empty: all is cleaned up. */
export function abandonedItems(snapshot: AddressSnapshot, placements: readonly Placement[]): readonly string[] {
  const { reclaimPolicy, dnsRecordSet, pendingCreation, writtenDns } = snapshot.set;
  const addresses = placements.filter(({ address }) => isCertain(address)).filter(isClaimed);
  const kept = reclaimPolicy === "Delete" ? addresses.map(({ address }) => `address ${address.ip}`) : [];
  const intent = reclaimPolicy === "Delete" ? pendingCreation : undefined;
  const open = intent !== undefined && undecided(snapshot, intent).length === 0;
  const records = dnsRecordSet?.deletionPolicy === "Delete" && writtenDns !== undefined;
  return [
    ...kept,
    ...(open ? [`the address of the creation of ${intent.startedAt}, if there is one`] : []),
    ...(records ? [`record set ${writtenDns?.recordName} in zone ${writtenDns?.zone}`] : []),
  ];
}

/** The lists can say no more of these. */
function undecided(snapshot: AddressSnapshot, intent: PendingCreation | undefined): readonly string[] {
  const end = intent === undefined ? undefined : endOf(snapshot, intent);
  if (intent === undefined || end === undefined) return [];
  const what = `the address of the creation of ${intent.startedAt}`;
  if (end.is === "several") return [`${what}, which may be one of ${end.ips.join(", ")}`];
  return end.is === "elsewhere" ? [`${what} at provider "${intent.provider}", if there is one`] : [];
}

function endOf(snapshot: AddressSnapshot, intent: PendingCreation) {
  return snapshot.inventory.complete && snapshot.creating !== true ? settle(snapshot, intent) : undefined;
}

function isCertain({ origin, inferred }: Placement["address"]): boolean {
  return origin === "created" && inferred !== true;
}

function isClaimed({ address, facts }: Placement): boolean {
  return address.claim?.ours !== false && facts?.borrowed !== true;
}
