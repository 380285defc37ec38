/** Step 11: the finalizer, and the clean-up of a pool that is being deleted. */

import { Finalizer } from "cdk8s-flipop/api";
import { isCleanupOverdue } from "../cleanup.js";
import type { Chain } from "./actions.js";
import { annotationRemovals } from "./annotations.js";
import { settlementOf } from "./creation.js";
import type { Standing } from "./grace.js";
import { reclaimChains } from "./reclaim.js";
import { recordRemoval } from "./records.js";
import type { Pool, Snapshot } from "./snapshot.js";
import type { Wish } from "./wish.js";

export function hasFinalizer({ metadata }: Pick<Pool, "metadata">): boolean {
  return metadata.finalizers?.includes(Finalizer.cleanup) === true;
}

/** Whether there is, or is about to be, cloud state to undo. */
export function needsFinalizer({ pool }: Pick<Snapshot, "pool">, { missing, addresses }: Wish): boolean {
  const { spec, status } = pool;
  const created = addresses.some(({ origin }) => origin === "created") || status.pendingCreation !== undefined;
  const addressesGo = spec.reclaimPolicy === "Delete" && (created || missing > 0);
  const recordsGo = spec.dnsRecordSet?.deletionPolicy === "Delete";
  return addressesGo || recordsGo;
}

/** Of a pool that stays. */
export function finalizerChain(snapshot: Snapshot, wish: Wish): Chain {
  const [needed, there] = [needsFinalizer(snapshot, wish), hasFinalizer(snapshot.pool)];
  if (needed === there) return [];
  if (needed) return [{ do: "add-finalizer", why: "a Delete policy asks for a clean-up" }];
  return [{ do: "remove-finalizer", leftBehind: [], why: "there is nothing to clean up" }];
}

/** Of a pool that goes. `lookAgainAt` is the caller's: see `look-again.ts`. */
export function deletionChains(snapshot: Snapshot, wish: Wish, standings: readonly Standing[]): readonly Chain[] {
  if (!hasFinalizer(snapshot.pool)) return [];
  const left = leftBehind(snapshot, standings);
  const chains = snapshot.inventory.complete ? cleanUp(snapshot, wish, standings) : [];
  if (left.length > 0 && !isOverdue(snapshot)) return chains;
  const annotations = annotationRemovals(snapshot, wish.family).flat();
  const why = left.length === 0 ? "all is cleaned up" : "the deadline of the clean-up has passed";
  return [[...annotations, { do: "remove-finalizer", leftBehind: left, why }]];
}

/** In words; empty: all is cleaned up. */
export function leftBehind(snapshot: Snapshot, standings: readonly Standing[]): readonly string[] {
  const { spec, status } = snapshot.pool;
  const addresses = standings.filter(({ address }) => address.origin === "created").filter(isClaimed);
  const kept = spec.reclaimPolicy === "Delete" ? addresses.map(({ address }) => `address ${address.ip}`) : [];
  const open = spec.reclaimPolicy === "Delete" && status.pendingCreation !== undefined;
  const records = spec.dnsRecordSet?.deletionPolicy === "Delete" && status.dns !== undefined;
  return [
    ...kept,
    ...(open ? [`the address of the creation of ${status.pendingCreation?.startedAt}, if there is one`] : []),
    ...(records ? [`record set ${status.dns?.recordName} in zone ${status.dns?.zone}`] : []),
  ];
}

function cleanUp(snapshot: Snapshot, { family }: Wish, standings: readonly Standing[]): readonly Chain[] {
  const { spec } = snapshot.pool;
  const records = spec.dnsRecordSet?.deletionPolicy === "Delete" ? [recordRemoval(snapshot)] : [];
  const settled = spec.reclaimPolicy === "Delete" ? [settlementOf(snapshot)?.chain ?? []] : [];
  const addresses = reclaimChains(snapshot, standings);
  return [...records, ...settled, ...addresses, ...annotationRemovals(snapshot, family)];
}

function isClaimed({ address, facts }: Standing): boolean {
  return address.claim?.ours !== false && facts?.borrowed !== true;
}

function isOverdue({ pool, now, memory }: Snapshot): boolean {
  return isCleanupOverdue(pool.metadata, now, memory.cleanup);
}
