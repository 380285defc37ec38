/** What RoutedIPs may do under a class or an issuer. If both have limits, both hold. */
export interface RoutedIPLimits {
  /**
   * Ports that RoutedIPs may open in the firewall, 64 entries at most: a port or a range, such as `443`, or
   * `7000-7999/UDP` if only one protocol is allowed. An entry opens 22, 2379-2380, 6443 or 10250-10259 only if it names
   * no other port.
   *
   * @default - 80, 443, and all above 1024, if neither class nor issuer sets any
   */
  readonly allowedPorts?: string[];

  /**
   * Maximum number of ports that one RoutedIP may open in the firewall, 0 to 256.
   *
   * @default - 16, if neither class nor issuer sets any
   */
  readonly maxPorts?: number;

  /**
   * Existing addresses that RoutedIPs may name, 64 entries at most: ranges in CIDR notation, such as `203.0.113.0/28`,
   * and `Created` for those that the operator created for the RoutedIP's namespace.
   *
   * @default - for a class only `Created`, for an issuer all addresses of the account
   */
  readonly allowedAddresses?: string[];

  /**
   * Zones in which RoutedIPs may have a record set, 64 at most: domain names, or ids of zones.
   *
   * @default - every zone, if allowedNames is set; else see allowedNames
   */
  readonly allowedZones?: string[];

  /**
   * Full DNS names that RoutedIPs may have a record set for, 64 at most. `*` stands for any text without a dot, and
   * `{namespace}` for the RoutedIP's namespace, as in `*.{namespace}.example.com`.
   *
   * @default - none, if another namespace's token would be used, and neither class nor issuer sets this or allowedZones
   */
  readonly allowedNames?: string[];

  /**
   * Whether a RoutedIP may replace records that the operator did not write for it.
   *
   * @default false
   */
  readonly adoptRecords?: boolean;
}
