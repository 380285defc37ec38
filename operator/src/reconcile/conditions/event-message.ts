/** The message of an Event. */

import { Annotation, GROUP_VERSION } from "cdk8s-flipop/api";
import type { ResourceRef } from "../../inventory/types.js";
import type { EventInput } from "../../kube/write/events.js";
import type { Problem } from "./problem.js";

export type EventMessage = Pick<EventInput, "type" | "reason" | "action" | "note">;

export function normal(reason: string, action: string, note: string): EventMessage {
  return { type: "Normal", reason, action, note };
}

export function warning(reason: string, action: string, note: string): EventMessage {
  return { type: "Warning", reason, action, note };
}

/** What an Event is about. A cluster-scoped resource has no namespace. */
export function regardingOf({ kind, namespace, name, uid }: Regarded): EventInput["regarding"] {
  return { apiVersion: GROUP_VERSION, kind, ...(namespace === undefined ? {} : { namespace }), name, uid };
}

type Regarded = Pick<ResourceRef, "kind" | "name" | "uid"> & Partial<Pick<ResourceRef, "namespace">>;

/** An action failed. @param usual reason and action of its Event, where the cause is nothing special */
export function failed(
  [reason, action]: readonly [reason: string, action: string],
  problem: Problem,
  lockKey = "",
): EventMessage {
  return warning(problem.reason === "CRDTooOld" ? problem.reason : reason, action, `${lockKey}${problem.message}`);
}

/** An address was found for a creation whose answer was lost. */
export function settledText(ip: string, why: string): EventMessage {
  const note = `${ip} counts as created by this resource: ${why}; no answer says so, so it is never released: do that at the provider`;
  return normal("CreationSettled", "Create", note);
}

/** A clean-up was given up. `undefined`: nothing stays behind. */
export function abandonedItems(left: readonly string[], why: string): EventMessage | undefined {
  if (left.length === 0) return undefined;
  return warning("CleanupAbandoned", "CleanUp", `${why}; left behind, remove by hand: ${left.join("; ")}`);
}

/** A copy of the created addresses was put right. `undefined`: nothing left it that a person should know of. */
export function forgotten(ips: readonly string[] = []): EventMessage | undefined {
  if (ips.length === 0) return undefined;
  const one = ips.length === 1 ? "it no longer counts" : "they no longer count";
  const note = `${ips.join(", ")}: annotation ${Annotation.createdIps} names what the provider does not have; ${one} as created by this resource`;
  return normal("Forgotten", "Forget", note);
}

/** Reason and action of the Event, by what failed of that which pools and RoutedIPs both do. */
export const ADDRESS_FAILURES = {
  assign: ["AssignFailed", "Assign"],
  unassign: ["UnassignFailed", "Unassign"],
  release: ["ReleaseFailed", "Release"],
  poll: ["AssignFailed", "Assign"],
  "create-address": ["CreateFailed", "Create"],
  "record-intent": ["CreateFailed", "Create"],
  "settle-creation": ["StatusNotWritten", "WriteStatus"],
  "record-creation": ["StatusNotWritten", "WriteStatus"],
  "drop-intent-copy": ["AnnotationNotWritten", "Annotate"],
  "forget-created": ["StatusNotWritten", "WriteStatus"],
  "annotate-pool": ["AnnotationNotWritten", "Annotate"],
  "clear-forget-creation": ["AnnotationNotWritten", "Annotate"],
  "add-finalizer": ["FinalizerNotWritten", "WriteFinalizer"],
  "remove-finalizer": ["FinalizerNotWritten", "WriteFinalizer"],
  "record-dns": ["StatusNotWritten", "WriteStatus"],
  "read-records": ["RecordsFailed", "ReadRecords"],
  "apply-records": ["RecordsFailed", "ChangeRecords"],
} as const satisfies Readonly<Record<string, readonly [reason: string, action: string]>>;

/** An Event's note holds 1,024 bytes. */
const LISTED = 12;

/** What became of the records of a name. */
export function recordsText({ fqdn, before, after }: RecordChange): string {
  return `${fqdn}: ${listed(before)} -> ${listed(after)}`;
}

export interface RecordChange {
  readonly fqdn: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

function listed(values: readonly string[]): string {
  if (values.length === 0) return "nothing";
  const more = values.length > LISTED ? ` and ${values.length - LISTED} more` : "";
  return `${values.slice(0, LISTED).join(", ")}${more}`;
}
