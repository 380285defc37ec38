/** The status of a record set, off the last plan of a run. Pure. */

import { MAX_ERROR, type NodeDNSRecordSetStatus } from "cdk8s-flipop/api";
import { cut } from "../../reconcile/conditions/planned-condition.js";
import { retryOf } from "./failure.js";
import type { Plan } from "./plan.js";
import type { Snapshot } from "./snapshot.js";

/** All fields of the status but the conditions; `undefined` removes one. */
export type StatusPatch = {
  readonly [K in Exclude<keyof NodeDNSRecordSetStatus, "conditions">]-?: NodeDNSRecordSetStatus[K] | undefined;
};

/** `undefined`: nothing is known yet, and an older process may have known more. */
export function statusOf(snapshot: Snapshot, plan: Plan): StatusPatch | undefined {
  const { resource, cachesComplete, problem } = snapshot;
  const { metadata, status } = resource;
  if (!cachesComplete && problem === undefined && status.conditions !== undefined) return undefined;
  return {
    observedGeneration: metadata.generation,
    state: plan.state,
    error: plan.error === undefined ? undefined : cut(plan.error, MAX_ERROR),
    retryAt: retryOf(snapshot),
    addresses: plan.addresses,
    dns: status.dns,
    counts: plan.counts,
  };
}
