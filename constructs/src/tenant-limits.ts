/** Limits of pools, record sets and created addresses. A namespace without an entry has no limits but the total. */
export interface TenantLimits {
  /**
   * Maximum number of addresses that the operator creates in all namespaces, 0 to 10000. Pools and RoutedIPs count; what
   * exists already is kept.
   *
   * @default - no maximum
   */
  readonly maxCreatedAddresses?: number;

  /**
   * Limits of namespaces, 256 entries at most. The first entry that names a namespace applies to it, so synthesis refuses
   * a name or pattern that an earlier entry covers.
   *
   * @default - none
   */
  readonly namespaces?: NamespaceLimits[];
}

/** Limits of some namespaces. What a resource has before a limit is added stays. */
export interface NamespaceLimits {
  /** The namespaces: names, or patterns in which `*` stands for any text, such as `team-*`. At least one. */
  readonly names: string[];

  /**
   * Existing addresses that pools may list, 64 entries at most: ranges in CIDR notation, such as `203.0.113.0/28`, and
   * `Created` for those that the operator created for the namespace.
   *
   * @default - all addresses of the account
   */
  readonly allowedAddresses?: string[];

  /**
   * Zones in which pools and NodeDNSRecordSets may have a record set, 64 at most: domain names, or ids of zones.
   *
   * @default - every zone
   */
  readonly allowedZones?: string[];

  /**
   * Full DNS names that pools and NodeDNSRecordSets may have a record set for, 64 at most. `*` stands for any text
   * without a dot, and `{namespace}` for the resource's namespace, as in `*.{namespace}.example.com`.
   *
   * @default - every name
   */
  readonly allowedNames?: string[];

  /**
   * Maximum number of addresses that the operator creates for each of these namespaces, 0 to 10000. Resources there
   * create addresses only with the reclaim policy Delete, because an address that outlives its resource no longer counts.
   *
   * @default - no maximum
   */
  readonly maxCreatedAddresses?: number;
}
