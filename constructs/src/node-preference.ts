/** Order among nodes that wait for an address. It never moves an address. */
export enum NodePreference {
  /**
   * Nodes that will stay first: not cordoned, not about to be removed by an autoscaler, newest kubelet, youngest. A
   * surge upgrade then moves each address once.
   */
  STABLE = "Stable",
  /** By name, as the Go operator does. */
  NAME = "Name",
}
