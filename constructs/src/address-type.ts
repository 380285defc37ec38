/** Which address of a node is published. */
export enum AddressType {
  /** The node's status address of type ExternalIP. */
  EXTERNAL_IP = "ExternalIP",
  /** The node's status address of type InternalIP. */
  INTERNAL_IP = "InternalIP",
  /** The reserved IPv4 address that a FloatingIPPool or RoutedIP assigned to the node, by its annotation. */
  RESERVED_IPV4 = "flipop.digitalocean.com/ipv4-reserved-ip",
  /** The reserved IPv6 address that a FloatingIPPool or RoutedIP assigned to the node, by its annotation. */
  RESERVED_IPV6 = "flipop.digitalocean.com/ipv6-reserved-ip",
}
