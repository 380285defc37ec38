/** Taints with a meaning of their own. Sources: k8s.io/api/core/v1/well_known_taints.go, and each autoscaler's own API. */

import { API_GROUP } from "cdk8s-flipop/api";

export interface TaintFacts {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** A taint that the cluster sets for a condition of the node. */
export interface ConditionTaint extends TaintFacts {
  /** When the condition came about, ms since the epoch. Absent: the node does not say. */
  readonly since?: number;
}

/** What the node lifecycle controller sets on a cordoned node, some moments after `spec.unschedulable`. */
export const CORDON_TAINT: TaintFacts = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

/** Set for a condition of the node, and taken away with it: by key, the type of the condition. */
const CONDITION_TAINTS: ReadonlyMap<string, string> = new Map([
  ["node.kubernetes.io/not-ready", "Ready"],
  ["node.kubernetes.io/unreachable", "Ready"],
  ["node.kubernetes.io/memory-pressure", "MemoryPressure"],
  ["node.kubernetes.io/disk-pressure", "DiskPressure"],
  ["node.kubernetes.io/pid-pressure", "PIDPressure"],
  ["node.kubernetes.io/network-unavailable", "NetworkUnavailable"],
]);

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

/** Type of the condition that a taint stands for. */
export function conditionOf({ key }: TaintFacts): string | undefined {
  return CONDITION_TAINTS.get(key);
}

export function isLeavingTaint({ key }: TaintFacts): boolean {
  return LEAVING_TAINTS.has(key);
}

/** As `kubectl taint` writes it: `key=value:effect`. */
export function taintText({ key, value, effect }: TaintFacts): string {
  return `${key}${value ? `=${value}` : ""}:${effect}`;
}
