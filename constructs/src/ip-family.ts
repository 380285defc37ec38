/** Address family. */
export enum IpFamily {
  /** IPv4: A records, annotation `flipop.digitalocean.com/ipv4-reserved-ip`. */
  IPV4 = "IPv4",
  /** IPv6: AAAA records, annotation `flipop.digitalocean.com/ipv6-reserved-ip`. */
  IPV6 = "IPv6",
}
