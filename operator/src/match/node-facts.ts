/** What decisions read of a node: derived once from the cached object, shared by all resources. */

import type { NodeAddress, SlimNode } from "../kube/cache/slim.js";
import type { ProviderId } from "../providers/types.js";
import {
  type ConditionTaint,
  conditionOf,
  isConditionTaint,
  isCordonTaint,
  isLeavingTaint,
  isOwnTaint,
  type TaintFacts,
} from "./taints.js";

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
    kubeletVersion: node.kubeletVersion ?? "",
    createdAt: node.creationTimestamp ?? "",
  });
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
  const since = ready.lastTransitionTime === undefined ? "" : ` since ${ready.lastTransitionTime}`;
  const reason = ready.reason ? ` (${ready.reason})` : "";
  return `Ready is ${ready.status}${since}${reason}`;
}
