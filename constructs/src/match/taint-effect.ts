/** Effect of a taint on pods that do not tolerate it. A match refuses nodes with untolerated taints of any effect. */
export enum TaintEffect {
  /** Kubernetes schedules no new pods to the node. */
  NO_SCHEDULE = "NoSchedule",
  /** Kubernetes schedules new pods to other nodes if possible. */
  PREFER_NO_SCHEDULE = "PreferNoSchedule",
  /** Kubernetes schedules no new pods to the node, and evicts running ones. */
  NO_EXECUTE = "NoExecute",
}
