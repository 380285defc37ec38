/** Step 11: the finalizer, and the clean-up of a pool that is being deleted. */

import { Finalizer, type PendingCreation } from "cdk8s-flipop/api";
import { creationRecoveryOf } from "../../addresses/creation/creation.js";
import { settle } from "../../addresses/creation/creation-recovery.js";
import type { Desired } from "../../addresses/desired.js";
import type { Placement } from "../../addresses/grace.js";
import { recordRemoval } from "../../addresses/records.js";
import { isHeldBack, releaseSequences } from "../../addresses/release.js";
import { isCleanupOverdue } from "../../reconcile/cleanup.js";
import type { ActionSequence } from "./actions.js";
import { annotationRemovals } from "./annotations.js";
import type { Pool, Snapshot } from "./snapshot.js";

export function hasFinalizer({ metadata }: Pick<Pool, "metadata">): boolean {
  return metadata.finalizers?.includes(Finalizer.cleanup) === true;
}

/** Whether there is, or is about to be, cloud state to undo. */
export function needsFinalizer({ pool }: Pick<Snapshot, "pool">, { missing, addresses }: Desired): boolean {
  const { spec, status } = pool;
  const created = addresses.some(({ origin }) => origin === "created") || status.pendingCreation !== undefined;
  const addressesGo = spec.reclaimPolicy === "Delete" && (created || missing > 0);
  const recordsGo = spec.dnsRecordSet?.deletionPolicy === "Delete";
  return addressesGo || recordsGo;
}

/** Of a pool that stays. */
export function finalizerChain(snapshot: Snapshot, desired: Desired): ActionSequence {
  const [needed, there] = [needsFinalizer(snapshot, desired), hasFinalizer(snapshot.pool)];
  if (needed === there) return [];
  if (needed) return [{ do: "add-finalizer", why: "a Delete policy asks for a clean-up" }];
  return [{ do: "remove-finalizer", abandonedItems: [], why: "there is nothing to clean up" }];
}

/** Of a pool that goes. `requeueAt` is the caller's: see `look-again.ts`. */
export function deletionChains(
  snapshot: Snapshot,
  desired: Desired,
  placements: readonly Placement[],
): readonly ActionSequence[] {
  if (!hasFinalizer(snapshot.pool)) return [];
  const left = abandonedItems(snapshot, placements);
  const sequences = snapshot.inventory.complete ? cleanUp(snapshot, desired, placements) : [];
  if (left.length > 0 && !isOverdue(snapshot)) return sequences;
  const annotations = annotationRemovals(snapshot, desired.family).flat();
  const kept = keptBack(snapshot, placements);
  const why = whyOver(left, kept);
  return [[...annotations, { do: "remove-finalizer", abandonedItems: [...left, ...kept], why }]];
}

/** @param kept what is not released, since it may belong to somebody else */
export function whyOver(left: readonly string[], kept: readonly string[]): string {
  if (left.length > 0) return "the deadline of the clean-up has passed";
  return kept.length === 0 ? "all is cleaned up" : "what is left may belong to somebody else: check that first";
}

/** Descriptions of the addresses that stay though the policy is Delete: no answer shows that they are ours. */
export function keptBack(snapshot: Snapshot, placements: readonly Placement[]): readonly string[] {
  if (snapshot.pool.spec.reclaimPolicy !== "Delete") return [];
  const { pendingCreation: intent } = snapshot.pool.status;
  const inferred = placements.filter((placement) => isHeldBack(snapshot, placement));
  return [...inferred.map(({ address }) => `address ${address.ip}`), ...undecided(snapshot, intent)];
}

/** The lists can say no more of these. */
function undecided(snapshot: Snapshot, intent: PendingCreation | undefined): readonly string[] {
  const end = intent === undefined ? undefined : endOf(snapshot, intent);
  if (intent === undefined || end === undefined) return [];
  const what = `the address of the creation of ${intent.startedAt}`;
  if (end.is === "several") return [`${what}, which may be one of ${end.ips.join(", ")}`];
  return end.is === "elsewhere" ? [`${what} at provider "${intent.provider}", if there is one`] : [];
}

function endOf(snapshot: Snapshot, intent: PendingCreation) {
  return snapshot.inventory.complete && snapshot.creating !== true ? settle(snapshot, intent) : undefined;
}

/** In words; empty: all is cleaned up. */
export function abandonedItems(snapshot: Snapshot, placements: readonly Placement[]): readonly string[] {
  const { spec, status } = snapshot.pool;
  const addresses = placements.filter(({ address }) => isCertain(address)).filter(isClaimed);
  const kept = spec.reclaimPolicy === "Delete" ? addresses.map(({ address }) => `address ${address.ip}`) : [];
  const intent = spec.reclaimPolicy === "Delete" ? status.pendingCreation : undefined;
  const open = intent !== undefined && undecided(snapshot, intent).length === 0;
  const records = spec.dnsRecordSet?.deletionPolicy === "Delete" && status.dns !== undefined;
  return [
    ...kept,
    ...(open ? [`the address of the creation of ${intent.startedAt}, if there is one`] : []),
    ...(records ? [`record set ${status.dns?.recordName} in zone ${status.dns?.zone}`] : []),
  ];
}

function isCertain({ origin, inferred }: Placement["address"]): boolean {
  return origin === "created" && inferred !== true;
}

function cleanUp(snapshot: Snapshot, { family }: Desired, placements: readonly Placement[]): readonly ActionSequence[] {
  const { spec } = snapshot.pool;
  const records = spec.dnsRecordSet?.deletionPolicy === "Delete" ? [recordRemoval(snapshot)] : [];
  const settled = snapshot.creating === true ? [] : [creationRecoveryOf(snapshot)?.sequence ?? []];
  const addresses = releaseSequences(snapshot, placements);
  return [...records, ...settled, ...addresses, ...annotationRemovals(snapshot, family)];
}

function isClaimed({ address, facts }: Placement): boolean {
  return address.claim?.ours !== false && facts?.borrowed !== true;
}

function isOverdue({ pool, now, memory }: Snapshot): boolean {
  return isCleanupOverdue(pool.metadata, now, memory.cleanup);
}
