/** Step 6: the finalizer, and the clean-up of a set that is being deleted. */

import { Finalizer } from "cdk8s-flipop/api";
import { isCleanupOverdue } from "../../reconcile/cleanup.js";
import { removalChain } from "../../records/record-sequence.js";
import type { ActionSequence } from "./planned-actions.js";
import type { NodeRecordSet, Snapshot } from "./snapshot.js";
import type { Desired } from "./wish.js";

type Of = Pick<Snapshot, "resource">;

export function isDeleting({ metadata }: Pick<NodeRecordSet, "metadata">): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** It makes no call. One that is being deleted cleans up all the same. */
export function isPaused({ metadata, spec }: Pick<NodeRecordSet, "metadata" | "spec">): boolean {
  return spec.paused === true && !isDeleting({ metadata });
}

export function hasFinalizer({ resource }: Of): boolean {
  return resource.metadata.finalizers?.includes(Finalizer.cleanup) === true;
}

/** Whether there are, or are about to be, records to delete. */
function needsFinalizer({ resource: { spec } }: Of): boolean {
  return spec.dnsRecordSet?.deletionPolicy === "Delete";
}

/** Of a set that stays. With an invalid spec the desired set is unknown, so it stays as it is. */
export function finalizerChain(snapshot: Snapshot): ActionSequence {
  const [needed, there] = [needsFinalizer(snapshot), hasFinalizer(snapshot)];
  if (needed === there || snapshot.problem !== undefined) return [];
  if (needed) return [{ do: "add-finalizer", why: "deletionPolicy Delete asks for a clean-up" }];
  return [{ do: "remove-finalizer", abandonedItems: [], why: "there is nothing to clean up" }];
}

/** Of a set that goes. */
export function deletionChain(snapshot: Snapshot, desired: Desired | undefined): ActionSequence {
  if (!hasFinalizer(snapshot)) return [];
  const left = abandonedItems(snapshot);
  if (left.length === 0) return [{ do: "remove-finalizer", abandonedItems: [], why: "all is cleaned up" }];
  const { resource, now, cleanup } = snapshot;
  if (!isCleanupOverdue(resource.metadata, now, cleanup)) return removal(snapshot, desired);
  return [{ do: "remove-finalizer", abandonedItems: left, why: "the deadline of the clean-up has passed" }];
}

/** In words; empty: all is cleaned up. A finalizer of ours says that Delete was asked for, where the spec can't be read. */
export function abandonedItems({ resource: { spec, status } }: Of): readonly string[] {
  const { dns } = status;
  const policy = spec.dnsRecordSet === undefined ? "Delete" : spec.dnsRecordSet.deletionPolicy;
  if (dns === undefined || policy !== "Delete") return [];
  return [`record set ${dns.recordName} in zone ${dns.zone} at ${dns.provider}`];
}

function removal({ resource, now, dns, ours }: Snapshot, desired: Desired | undefined): ActionSequence {
  const last = resource.status.dns;
  return removalChain({
    now,
    dns,
    wanted: desired?.recordSet,
    provider: desired?.provider ?? last?.provider ?? "",
    last,
    types: { asked: desired?.types ?? [], ours },
  });
}
