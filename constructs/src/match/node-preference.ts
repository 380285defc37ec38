/** Order in which waiting candidates get an address. It never causes a move. */
export enum NodePreference {
  /**
   * First the nodes that are likely to stay (not cordoned, not chosen by an autoscaler for removal), then the newest
   * kubelet, then the youngest node. With this order, a surge upgrade moves each address once.
   */
  STABLE = "Stable",
  /** By the node's name, as the Go operator does. */
  NAME = "Name",
}
