/** What a taint does to pods that do not tolerate it. In a match, every effect refuses the node. */
export enum TaintEffect {
  /** New pods are not scheduled to the node. */
  NO_SCHEDULE = "NoSchedule",
  /** New pods are scheduled elsewhere where that is possible. */
  PREFER_NO_SCHEDULE = "PreferNoSchedule",
  /** New pods are not scheduled to the node, and running ones are evicted. */
  NO_EXECUTE = "NoExecute",
}
