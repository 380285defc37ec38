/** Address family. */
export enum IpFamily {
  /** IPv4: A records; the holder has annotation `flipop.digitalocean.com/ipv4-reserved-ip`. */
  IPV4 = "IPv4",
  /** IPv6: AAAA records; the holder has annotation `flipop.digitalocean.com/ipv6-reserved-ip`. */
  IPV6 = "IPv6",
}
