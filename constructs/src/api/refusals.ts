import type { ReasonFacts } from "./conditions";

/** Why a node is no candidate: what it means, what to do, and whether a holder may wait for its end. */
export interface RefusalFacts extends ReasonFacts {
  /** A holder that is refused for such reasons alone keeps its address for `gracePeriodSeconds`. */
  readonly recoverable: boolean;
}

/** Reasons to refuse a node, in the order in which they are checked. */
export const REFUSALS = {
  LabelsDiffer: {
    meaning: "The node's labels do not match nodeLabel.",
    remedy: "Nothing, if the node is not meant; else label the node or correct match.nodeLabel.",
    recoverable: false,
  },
  NodeGone: {
    meaning: "The node does not exist any more, or another machine bears its name.",
    remedy: "",
    recoverable: false,
  },
  NodeDeleting: { meaning: "The node is being deleted.", remedy: "", recoverable: false },
  NoProviderID: {
    meaning: "The node has no spec.providerID, so its machine is unknown.",
    remedy: "Wait for the cloud controller manager to set it, or look at that program's log.",
    recoverable: false,
  },
  ForeignProviderID: {
    meaning: "The node is a machine of another cloud than the provider's.",
    remedy: "Exclude the node by match.nodeLabel, or use the provider of its cloud.",
    recoverable: false,
  },
  DuplicateProviderID: {
    meaning: "Another node names the same machine; a ready one that was there first stands for it.",
    remedy: "Delete the Node object that has no kubelet any more.",
    recoverable: false,
  },
  Cordoned: {
    meaning: "The node is cordoned, and match does not tolerate that or its pod no longer serves.",
    remedy: "Uncordon the node, or tolerate node.kubernetes.io/unschedulable in match.tolerations.",
    recoverable: false,
  },
  Tainted: {
    meaning: "The node has a taint that match does not tolerate.",
    remedy: "Remove the taint, or add it to match.tolerations.",
    recoverable: false,
  },
  NodeNotReady: {
    meaning: "The node's Ready condition is not True.",
    remedy: "Look at the node's conditions and its kubelet.",
    recoverable: true,
  },
  NodeUnwell: {
    meaning: "Kubernetes has tainted the node for its condition: not ready, unreachable, short of a resource.",
    remedy: "Look at the node's conditions.",
    recoverable: true,
  },
  NoPod: {
    meaning: "No pod of podNamespace and podLabel is on the node.",
    remedy: "Nothing, if the node is not meant; else look at the workload, or correct match.",
    recoverable: true,
  },
  PodNotReady: {
    meaning:
      "Pods of podNamespace and podLabel are on the node, and none is Running, Ready and here to stay. A RoutedIP gives no grace where all its endpoints terminate.",
    remedy: "Look at the pod that the message names.",
    recoverable: true,
  },
  MatchEdited: {
    meaning: "The node matched until spec.match was edited; grace is for nodes that fail, not for edits.",
    remedy: "Nothing, if the edit was meant.",
    recoverable: false,
  },
} as const satisfies Readonly<Record<string, RefusalFacts>>;

/** Reason to refuse a node. */
export type RefusalReason = keyof typeof REFUSALS;
