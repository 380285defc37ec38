/** Taints with a meaning of their own. Sources: k8s.io/api/core/v1/well_known_taints.go, and each autoscaler's own API. */

import { API_GROUP } from "cdk8s-flipop/api";

export interface TaintFacts {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** What the node lifecycle controller sets on a cordoned node, some moments after `spec.unschedulable`. */
export const CORDON_TAINT: TaintFacts = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

/** Set for a condition of the node, and taken away with it. */
const CONDITION_TAINTS: ReadonlySet<string> = new Set(
  ["not-ready", "unreachable", "memory-pressure", "disk-pressure", "pid-pressure", "network-unavailable"].map(
    (name) => `node.kubernetes.io/${name}`,
  ),
);

/** An autoscaler is about to remove the node, or thinks about it. */
const LEAVING_TAINTS: ReadonlySet<string> = new Set([
  "ToBeDeletedByClusterAutoscaler",
  "DeletionCandidateOfClusterAutoscaler",
  "karpenter.sh/disrupted",
  // Karpenter before v1.
  "karpenter.sh/disruption",
]);

/** Ours: an elected node bears one, and it must not keep the node from being matched. */
export function isOwnTaint({ key }: TaintFacts): boolean {
  return key.startsWith(`${API_GROUP}/`);
}

export function isCordonTaint({ key }: TaintFacts): boolean {
  return key === CORDON_TAINT.key;
}

export function isConditionTaint({ key }: TaintFacts): boolean {
  return CONDITION_TAINTS.has(key);
}

export function isLeavingTaint({ key }: TaintFacts): boolean {
  return LEAVING_TAINTS.has(key);
}

/** As `kubectl taint` writes it: `key=value:effect`. */
export function taintText({ key, value, effect }: TaintFacts): string {
  return `${key}${value ? `=${value}` : ""}:${effect}`;
}
