/** What is known of a node, and its taints with a meaning of their own (k8s.io/api/core/v1/well_known_taints.go, and each autoscaler's own API). */

import { API_GROUP, UNTIL_ASSIGNED_PREFIX } from "cdk8s-flipop/api";
import type { NodeAddress, SlimNode } from "../kube/cache/slim-objects.js";
import type { ProviderId } from "../providers/types.js";

export interface TaintFacts {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** A taint that the cluster sets for a condition of the node. */
interface ConditionTaint extends TaintFacts {
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

/** What the cluster autoscaler is about to do with a node, by the key of its taint. It sets a taint again that somebody removes. */
const AUTOSCALER_TAINTS: ReadonlyMap<string, AutoscalerPlan> = new Map([
  ["ToBeDeletedByClusterAutoscaler", "deletes"],
  ["DeletionCandidateOfClusterAutoscaler", "may delete"],
]);

export type AutoscalerPlan = "deletes" | "may delete";

/** `undefined`: of these taints, some are not the cluster autoscaler's, and none is for a deletion that has begun. */
export function autoscalerPlan(taints: readonly TaintFacts[]): AutoscalerPlan | undefined {
  const plans = taints.map(({ key }) => AUTOSCALER_TAINTS.get(key));
  if (plans.includes("deletes")) return "deletes";
  return plans.includes(undefined) ? undefined : plans[0];
}

/** An autoscaler is about to remove the node, or thinks about it. */
const LEAVING_TAINTS: ReadonlySet<string> = new Set([
  ...AUTOSCALER_TAINTS.keys(),
  "karpenter.sh/disrupted",
  // Karpenter before v1.
  "karpenter.sh/disruption",
]);

/** Ours: an elected node bears one, and it must not keep the node from being matched. */
export function isOwnTaint({ key }: TaintFacts): boolean {
  return key.startsWith(`${API_GROUP}/`);
}

/** The taint of an elected node. */
export function isElectionTaint(taint: TaintFacts): boolean {
  return isOwnTaint(taint) && !isUntilAssignedTaint(taint);
}

/** Other effects are no more than a preference. */
export function keepsPodsAway({ effect }: TaintFacts): boolean {
  return effect !== "PreferNoSchedule";
}

function isCordonTaint({ key }: TaintFacts): boolean {
  return key === CORDON_TAINT.key;
}

/** Agents of a node, such as those of Cilium and of CSI drivers, keep pods away by such a taint until they run. */
const AGENT_NOT_READY = "/agent-not-ready";

export function isConditionTaint({ key }: TaintFacts): boolean {
  return CONDITION_TAINTS.has(key) || key.endsWith(AGENT_NOT_READY);
}

/** Type of the condition that a taint stands for. */
function conditionOf({ key }: TaintFacts): string | undefined {
  return CONDITION_TAINTS.get(key);
}

/** The cluster's own, such as that of a control plane, an autoscaler's, and none that a person gives to nodes of a purpose. */
export function isSystemTaint(taint: TaintFacts): boolean {
  return isLeavingTaint(taint) || SYSTEM_TAINT.test(taint.key);
}

const SYSTEM_TAINT = /^(?:([^/]+\.)?(kubernetes|k8s)\.io|karpenter\.sh)\//;

function isLeavingTaint({ key }: TaintFacts): boolean {
  return LEAVING_TAINTS.has(key);
}

/** As `kubectl taint` writes it: `key=value:effect`. */
export function taintText({ key, value, effect }: TaintFacts): string {
  return `${key}${value ? `=${value}` : ""}:${effect}`;
}

export interface NodeFacts {
  readonly uid: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Those under our prefix only. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly addresses: readonly NodeAddress[];
  /** The machine. Absent: unknown. */
  readonly machine?: ProviderId;
  /** The machine's other node, which stands for it in place of this one. */
  readonly standIn?: string;
  /** Absent: the Ready condition is True. Else what it is, for people: `Ready is Unknown since ... (KubeletStopped)`. */
  readonly notReady?: string;
  /** The last transition of a Ready condition that is not True, ms since the epoch. */
  readonly notReadySince?: number;
  readonly cordoned: boolean;
  /** An autoscaler is about to delete the node. */
  readonly leaving: boolean;
  /** RFC 3339; absent: it stays. */
  readonly deletingSince?: string;
  /** Taints for conditions of the node. */
  readonly conditionTaints: readonly ConditionTaint[];
  /** All others, without ours and without the cordon's. */
  readonly taints: readonly TaintFacts[];
  /** Ours. Absent: none. */
  readonly ownTaints?: readonly TaintFacts[];
  /** `v1.32.1`; empty where unknown. */
  readonly kubeletVersion: string;
  /** RFC 3339; empty where unknown. */
  readonly createdAt: string;
}

/** @param standIn see `NodeFacts.standIn`. */
export function nodeFacts(node: SlimNode, standIn?: string): NodeFacts {
  const taints = node.taints ?? [];
  return Object.freeze({
    uid: node.uid,
    name: node.name,
    labels: node.labels,
    annotations: node.annotations,
    addresses: node.addresses,
    ...(node.providerID ? { machine: node.providerID } : {}),
    ...(standIn === undefined ? {} : { standIn }),
    ...readinessOf(node),
    cordoned: node.unschedulable || taints.some(isCordonTaint),
    leaving: taints.some(isLeavingTaint),
    ...(node.deletionTimestamp === undefined ? {} : { deletingSince: node.deletionTimestamp }),
    conditionTaints: taints.filter(isConditionTaint).map((taint) => withTime(node, taint)),
    taints: taints.filter((taint) => !isConditionTaint(taint) && !isCordonTaint(taint) && !isOwnTaint(taint)),
    ...ownTaintsOf(taints),
    kubeletVersion: node.kubeletVersion ?? "",
    createdAt: node.creationTimestamp ?? "",
  });
}

function ownTaintsOf(taints: readonly TaintFacts[]): Pick<NodeFacts, "ownTaints"> {
  const ownTaints = taints.filter(isOwnTaint);
  return ownTaints.length === 0 ? {} : { ownTaints };
}

/** Each resource looks after its own; RoutedIPs share all others of ours. */
function isUntilAssignedTaint({ key }: TaintFacts): boolean {
  return key.startsWith(UNTIL_ASSIGNED_PREFIX);
}

function readinessOf(node: SlimNode): Pick<NodeFacts, "notReady" | "notReadySince"> {
  const notReady = notReadyText(node);
  if (notReady === undefined) return {};
  const notReadySince = transitionOf(node, "Ready");
  return { notReady, ...(notReadySince === undefined ? {} : { notReadySince }) };
}

function withTime(node: SlimNode, taint: TaintFacts): ConditionTaint {
  const since = transitionOf(node, conditionOf(taint));
  return since === undefined ? taint : { ...taint, since };
}

function transitionOf({ conditions }: SlimNode, type: string | undefined): number | undefined {
  const time = Date.parse(conditions.find((condition) => condition.type === type)?.lastTransitionTime ?? "");
  return Number.isNaN(time) ? undefined : time;
}

function notReadyText({ conditions }: SlimNode): string | undefined {
  const ready = conditions.find(({ type }) => type === "Ready");
  if (ready === undefined) return "it has no Ready condition yet";
  if (ready.status === "True") return undefined;
  const since = ready.lastTransitionTime;
  const reason = ready.reason ? ` (${ready.reason})` : "";
  return since === undefined
    ? `Ready is ${ready.status}${reason}`
    : `Ready has been ${ready.status} since ${since}${reason}`;
}
