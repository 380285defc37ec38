/** When a record set may become empty. */
export enum EmptyPolicy {
  /** Never: the last addresses stay while no node matches, so that resolvers do not cache the absence of the name. */
  KEEP = "Keep",
  /**
   * The operator deletes the records after no node has had the labels of `nodes` for 5 minutes. A node that is not
   * ready still counts.
   */
  DELETE = "Delete",
}
