import type { ReasonFacts } from "./reason-facts";

/** Why a node is not a candidate: the meaning, the remedy, and whether a holder may recover. */
export interface RefusalFacts extends ReasonFacts {
  /** A holder with only recoverable refusals keeps its address for `gracePeriodSeconds`. */
  readonly recoverable: boolean;
}

/** Reasons for the refusal of a node, in the order of the checks. */
export const REFUSALS = {
  LabelsDiffer: {
    meaning: "The node's labels do not match nodeLabel.",
    remedy: "Nothing, if the node should not match; otherwise label the node or correct match.nodeLabel.",
    recoverable: false,
  },
  NodeGone: {
    meaning: "The node no longer exists, or another machine has its name.",
    remedy: "",
    recoverable: false,
  },
  NodeDeleting: { meaning: "The node is being deleted.", remedy: "", recoverable: false },
  NoProviderID: {
    meaning: "The node has no spec.providerID, so its machine is unknown.",
    remedy: "Wait until the cloud controller manager sets it, or read the log of that program.",
    recoverable: false,
  },
  ForeignProviderID: {
    meaning: "The node's machine does not belong to the provider's cloud.",
    remedy:
      "Use the provider of its cloud; or exclude the node: with match.nodeLabel, or for a RoutedIP by where the pods of its Service run.",
    recoverable: false,
  },
  InvalidProviderID: {
    meaning: "The node's spec.providerID has the scheme of the provider's cloud, but names no machine of it.",
    remedy:
      "Correct what sets spec.providerID: the cloud controller manager or a flag of the kubelet. Then delete the Node, so that its kubelet registers it again: the field cannot change.",
    recoverable: false,
  },
  DuplicateProviderID: {
    meaning:
      "Another node has the same machine; the operator uses one that is ready and has no taint of a condition, and the older one of two.",
    remedy:
      "Compare the machines of both Nodes (kubectl get nodes -o wide). If they are two machines, delete the Node of this row, so that its kubelet registers it with its own providerID. If they are one, delete the Node that no kubelet keeps Ready.",
    recoverable: false,
  },
  Cordoned: {
    meaning: "The node is cordoned, and match does not tolerate the cordon or no matching pod on the node is ready.",
    remedy:
      "Uncordon the node, or, where the resource has match, tolerate node.kubernetes.io/unschedulable in match.tolerations.",
    recoverable: false,
  },
  Tainted: {
    meaning: "The node has a taint that match does not tolerate.",
    remedy: "Remove the taint, or, where the resource has match, add it to match.tolerations.",
    recoverable: false,
  },
  NodeNotReady: {
    meaning: "The node's Ready condition is not True.",
    remedy: "Check the node's conditions and its kubelet.",
    recoverable: true,
  },
  NodeUnwell: {
    meaning:
      "Kubernetes has tainted the node because it is not ready, unreachable, or short of a resource; or an agent of the node, such as that of its network, has, because it does not run (agent-not-ready).",
    remedy: "Check the node's conditions, or the agent that the taint names.",
    recoverable: true,
  },
  NoPod: {
    meaning: "No pod of podNamespace and podLabel, or of the Service of a RoutedIP, is on the node.",
    remedy:
      "Nothing, if the node should not match; otherwise check the pods, and what selects them: match, or the selector of the Service.",
    recoverable: true,
  },
  PodNotReady: {
    meaning:
      "Pods of podNamespace and podLabel are on the node, but none is Running, Ready and not being deleted. A RoutedIP has no grace period if all its endpoints are terminating.",
    remedy:
      "Check the pod that the message names (kubectl describe pod). One that is being deleted ends at the latest with its grace period, unless finalizers keep it.",
    recoverable: true,
  },
  NoOpenPort: {
    meaning:
      "The pods on the node open no port of the Service of a RoutedIP there, as other pods of the Service do on their nodes.",
    remedy: "Give the pod that the message names a hostPort, as the other pods have, or take it out of the Service.",
    recoverable: false,
  },
  ProbeFailed: {
    meaning:
      "Probes of spec.healthCheck fail, and for a holder a witness, such as the standby replica or the kubelet's Lease, confirms the failure; or the node failed repeatedly and must stay healthy for some time first.",
    remedy:
      "Check the service on the node, the port that healthCheck names, and whether the address in the message is one of this node.",
    recoverable: true,
  },
  MatchEdited: {
    meaning: "The node matched until spec.match changed. Only failing nodes get a grace period.",
    remedy: "Nothing, if you intended the change; otherwise correct match.",
    recoverable: false,
  },
} as const satisfies Readonly<Record<string, RefusalFacts>>;

/** Reason for the refusal of a node. */
export type RefusalReason = keyof typeof REFUSALS;
