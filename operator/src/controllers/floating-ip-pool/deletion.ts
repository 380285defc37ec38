/** Step 11: the finalizer, and the clean-up of a pool that is being deleted. */

import { Finalizer } from "cdk8s-flipop/api";
import type { ActionSequence } from "../../addresses/actions.js";
import { annotationRemovals } from "../../addresses/annotations/node-annotations.js";
import { abandonedItems, keptBack, whyOver } from "../../addresses/cleanup.js";
import { creationRecoveryOf } from "../../addresses/creation/creation.js";
import type { Desired } from "../../addresses/desired.js";
import type { Placement } from "../../addresses/grace.js";
import { recordRemoval } from "../../addresses/records.js";
import { releaseSequences } from "../../addresses/release.js";
import { isCleanupOverdue } from "../../reconcile/cleanup.js";
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

/** Of a pool that goes. `requeueAt` is the caller's: see `requeue-at.ts`. */
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

function cleanUp(snapshot: Snapshot, { family }: Desired, placements: readonly Placement[]): readonly ActionSequence[] {
  const { spec } = snapshot.pool;
  const records = spec.dnsRecordSet?.deletionPolicy === "Delete" ? [recordRemoval(snapshot)] : [];
  const settled = snapshot.creating === true ? [] : [creationRecoveryOf(snapshot)?.sequence ?? []];
  const addresses = releaseSequences(snapshot, placements);
  return [...records, ...settled, ...addresses, ...annotationRemovals(snapshot, family)];
}

function isOverdue({ pool, now, memory }: Snapshot): boolean {
  return isCleanupOverdue(pool.metadata, now, memory.cleanup);
}
