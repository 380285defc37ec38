/** What happens to an address or a record set when its resource is deleted or no longer needs it. */
export enum ReclaimPolicy {
  /** It stays at the provider; you can use or delete it. */
  RETAIN = "Retain",
  /** The operator deletes it at the provider, which releases an address for good. Addresses that you listed stay. */
  DELETE = "Delete",
}
