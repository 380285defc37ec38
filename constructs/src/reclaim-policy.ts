/** What happens to an address or a record set when its resource is deleted or no longer needs it. */
export enum ReclaimPolicy {
  /** It stays at the provider, for you to use or delete. */
  RETAIN = "Retain",
  /** It is deleted at the provider: an address is released for good. Addresses that you gave stay. */
  DELETE = "Delete",
}
