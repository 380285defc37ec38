/**
 * When a set may become empty: only after nodes that are gone for good, never in an outage. The finalizer, and the cleanup of a set that is being deleted.
 */

import { Finalizer } from "cdk8s-flipop/api";
import { WHYS } from "../../messages/action-reasons.js";
import type { Deletion } from "../../reconcile/plan.js";
import { isCleanupOverdue } from "../../reconcile/retries.js";
import { isSameName } from "../../records/record-equality.js";
import { removalChain } from "../../records/record-plan.js";
import { RECORDS_EMPTY_AFTER_MS, RECORDS_RECONNECT_MS } from "../../timings.js";
import { omitUndefined } from "../../values.js";
import type { Desired, Publication } from "./published-nodes.js";
import type { ActionChain, NodeRecordSet, Snapshot } from "./resource.js";

type Of = Pick<Snapshot, "resource">;

export function isDeleting({ metadata }: Pick<NodeRecordSet, "metadata">): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** It makes no call. One that is being deleted cleans up all the same. */
export function isPaused({ metadata, spec }: Pick<NodeRecordSet, "metadata" | "spec">): boolean {
  return spec.paused === true && !isDeleting({ metadata });
}

function hasFinalizer({ resource }: Of): boolean {
  return resource.metadata.finalizers?.includes(Finalizer.cleanup) === true;
}

/** Whether there are, or are about to be, records to delete. */
function needsFinalizer({ resource: { spec } }: Of): boolean {
  return spec.dnsRecordSet?.deletionPolicy === "Delete";
}

/** Of a set that stays. With an invalid spec the desired set is unknown, so it stays as it is. */
export function finalizerChain(snapshot: Snapshot): ActionChain {
  const [needed, there] = [needsFinalizer(snapshot), hasFinalizer(snapshot)];
  if (needed === there || snapshot.problem !== undefined) return [];
  if (needed) return [{ do: "add-finalizer", why: "deletionPolicy Delete asks for a cleanup" }];
  return [{ do: "remove-finalizer", abandonedItems: [], why: WHYS.nothingToCleanUp }];
}

/** Of a set that goes. */
export function deletionChain(snapshot: Snapshot, desired: Desired | undefined): ActionChain {
  if (!hasFinalizer(snapshot)) return [];
  const left = abandonedItems(snapshot);
  if (left.length === 0) return [{ do: "remove-finalizer", abandonedItems: [], why: WHYS.cleanedUp }];
  const { resource, now, cleanup } = snapshot;
  if (!isCleanupOverdue(resource.metadata, now, cleanup)) return removal(snapshot, desired);
  return [{ do: "remove-finalizer", abandonedItems: left, why: WHYS.cleanupLate }];
}

/** `undefined`: there is no cleanup. */
export function deletionOf(snapshot: Snapshot): Deletion | undefined {
  if (!isDeleting(snapshot.resource) || !hasFinalizer(snapshot)) return undefined;
  const { dns, problem } = snapshot;
  const cause = dns.failure ?? (dns.capabilities === undefined ? problem : undefined);
  return { left: abandonedItems(snapshot), ...omitUndefined({ cause }) };
}

/** In words; empty: all is cleaned up. A finalizer of ours says that Delete was asked for, where the spec can't be read. */
function abandonedItems({ resource: { spec, status } }: Of): readonly string[] {
  const { dns, begunRecords = [] } = status;
  const policy = spec.dnsRecordSet === undefined ? "Delete" : spec.dnsRecordSet.deletionPolicy;
  const written = policy === "Delete" ? [...(dns ? [dns] : []), ...begunRecords] : [];
  return written.map(({ recordName, zone, provider }) => `record set ${recordName} in zone ${zone} at ${provider}`);
}

function removal({ resource, now, dns, ours }: Snapshot, desired: Desired | undefined): ActionChain {
  const { dns: last, begunRecords: begun } = resource.status;
  return removalChain({
    now,
    dns,
    wanted: desired?.recordSet,
    provider: desired?.provider ?? last?.provider ?? "",
    last,
    begun,
    types: { asked: desired?.types ?? [], ours },
  });
}

/** `keep`: what is published stays. `wait`: look again then. `empty`: now. */
export type Emptying =
  | { readonly what: "keep" }
  | { readonly what: "wait"; readonly until: number }
  | { readonly what: "empty" };

export const KEEP: Emptying = { what: "keep" };

export function emptyingOf(snapshot: Snapshot, desired: Desired, { values, stale }: Publication): Emptying {
  const { resource, noNode, now } = snapshot;
  if (resource.spec.emptyPolicy !== "Delete" || noNode === undefined) return KEEP;
  // Somebody is still published, or nothing was ever written here: records of others are not ours to delete.
  const { dns } = resource.status;
  if (values.length > stale.length || dns === undefined) return KEEP;
  if (!isSameName(dns, { ...desired.recordSet, provider: desired.provider })) return KEEP;
  const until = noNode.since + RECORDS_EMPTY_AFTER_MS;
  if (now < until) return { what: "wait", until };
  return noNode.connected ? { what: "empty" } : { what: "wait", until: now + RECORDS_RECONNECT_MS };
}
