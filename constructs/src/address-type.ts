/** Which address of a node is published. A node without such an address is omitted. */
export enum AddressType {
  /** The address of type ExternalIP in the node's status. */
  EXTERNAL_IP = "ExternalIP",
  /** The address of type InternalIP in the node's status; usually not reachable from outside. */
  INTERNAL_IP = "InternalIP",
  /** The IPv4 address that a FloatingIPPool or RoutedIP assigned to the node, from the node's annotation. */
  RESERVED_IPV4 = "flipop.digitalocean.com/ipv4-reserved-ip",
  /** The IPv6 address that a FloatingIPPool or RoutedIP assigned to the node, from the node's annotation. */
  RESERVED_IPV6 = "flipop.digitalocean.com/ipv6-reserved-ip",
}
