/** What a taint does to pods that do not tolerate it. */
export enum TaintEffect {
  /** New pods are not scheduled to the node. */
  NO_SCHEDULE = "NoSchedule",
  /** New pods are scheduled elsewhere where that is possible. */
  PREFER_NO_SCHEDULE = "PreferNoSchedule",
  /** Pods are evicted as well. */
  NO_EXECUTE = "NoExecute",
}
