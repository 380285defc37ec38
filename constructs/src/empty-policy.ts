/** When a record set may become empty. */
export enum EmptyPolicy {
  /** Never: the last addresses stay while no node matches, lest resolvers cache that the name does not exist. */
  KEEP = "Keep",
  /**
   * Its records are deleted once no node has had the labels of `nodes` for 5 minutes. Nodes that are not ready do not
   * count as gone.
   */
  DELETE = "Delete",
}
