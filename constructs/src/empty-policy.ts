/** When a record set may become empty. */
export enum EmptyPolicy {
  /** The last addresses stay when no node matches: resolvers would remember that the name does not exist. */
  KEEP = "Keep",
  /** The set goes after no node passed the node labels for 5 minutes. */
  DELETE = "Delete",
}
