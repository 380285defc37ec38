/** Order in which waiting candidates get an address. It never moves an address. */
export enum NodePreference {
  /**
   * First those that are likely to stay (not cordoned, not chosen by an autoscaler for removal), then the newest
   * kubelet, then the youngest node. A surge upgrade then moves each address once.
   */
  STABLE = "Stable",
  /** By the node's name, as the Go operator does. */
  NAME = "Name",
}
