/** Jobs as the operator builds them, for tests. */

import type { JsonObject } from "cdk8s-flipop/api";
import { assignVariables, buildJob, type JobOrder } from "../../src/jobs/job.js";
import type { JobObject } from "../../src/jobs/job-decision.js";
import { meta } from "../claims/resources.js";

export const NODE = { name: "n1", providerID: "cloud://1" };
export const ASSIGN = assignVariables({ namespace: "default", name: "a", ip: "192.0.2.1", node: NODE, region: "r" });
export const CREATE = assignVariables({ namespace: "default", name: "a", node: NODE, region: "r" });
export const NOW = Date.parse("2025-06-01T10:00:00Z");

export function order(spec: JsonObject, more: Partial<JobOrder> = {}): JobOrder {
  const owner = { name: "class", uid: "class-uid" };
  const base = { purpose: "assign", uid: "rip-uid", owner, namespace: "flipop-jobs", attempt: 0 } as const;
  return { ...base, spec, variables: ASSIGN, secrets: ["cloud"], ...more };
}

export function job(variables = ASSIGN, status: JobObject["status"] = {}, ageMs = 0): JobObject {
  const built = buildJob(order({}, { variables })).metadata as { annotations: Record<string, string> };
  const creationTimestamp = new Date(NOW - ageMs).toISOString();
  return { metadata: { ...meta("job"), annotations: built.annotations, creationTimestamp }, status };
}
