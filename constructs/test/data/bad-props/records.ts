import { type Chart, Duration } from "cdk8s";
import { AddressType, DnsRecord, IpFamily, NodeDNSRecordSet, type NodeDNSRecordSetProps } from "../../../src";
import type { BadProps } from "./case";

function recordSet(name: string, props: Partial<NodeDNSRecordSetProps>, says: string): BadProps {
  const dnsRecord = DnsRecord.digitalOcean("www", "example.com");
  return { name, make: (chart: Chart) => new NodeDNSRecordSet(chart, "bad", { dnsRecord, ...props }), says };
}

function dns(name: string, dnsRecord: DnsRecord, says: string): BadProps {
  return recordSet(name, { dnsRecord }, says);
}

/** Bad props of a NodeDNSRecordSet, and bad DNS records. */
export const BAD_RECORDS: readonly BadProps[] = [
  dns(
    "an empty record name",
    DnsRecord.digitalOcean("", "example.com"),
    "dnsRecord.recordName: is empty: give a value",
  ),
  dns(
    "a record name with a space in it",
    DnsRecord.digitalOcean("a b", "example.com"),
    'dnsRecord.recordName: "a b" is not a DNS name: give one such as www.example.com, with other alphabets in their "xn--" form',
  ),
  dns(
    "a zone of another alphabet",
    DnsRecord.digitalOcean("www", "bücher.example"),
    'dnsRecord.zone: "bücher.example" is not a DNS name: give one such as example.com, with other alphabets in their "xn--" form',
  ),
  ...["example.com..", ".example.com", "example..com"].map((zone) =>
    dns(
      `a zone with a dot too many, ${zone}`,
      DnsRecord.digitalOcean("www", zone),
      `dnsRecord.zone: "${zone}" is not a DNS name: give one such as example.com, with other alphabets in their "xn--" form`,
    ),
  ),
  dns(
    "a record name that is too long",
    DnsRecord.digitalOcean(`${"a.".repeat(126)}ab`, "b"),
    "dnsRecord.recordName: has 254 characters: at most 253 are allowed",
  ),
  dns(
    "a record name that is too long with its zone",
    DnsRecord.digitalOcean(`${"a.".repeat(123)}a`, "example.com"),
    "dnsRecord.recordName: recordName and zone have 259 characters together: a DNS name has at most 253: shorten recordName",
  ),
  dns(
    "a full name of another zone",
    DnsRecord.cloudflare("www.example.net.", "example.com"),
    'dnsRecord.recordName: "www.example.net." ends with a dot but is not in zone "example.com": give a name of that zone, or another zone',
  ),
  dns(
    "a record set of no provider",
    DnsRecord.of("", "www", "example.com"),
    "dnsRecord.provider: is empty: give the DNS provider, such as digitalocean or cloudflare",
  ),
  dns(
    "a TTL with a fraction",
    DnsRecord.digitalOcean("www", "example.com", { ttl: Duration.millis(500) }),
    "dnsRecord.ttl: 0.5 seconds is not a whole number of seconds: round it, as in Duration.seconds(1)",
  ),
  dns(
    "a TTL that Cloudflare does not take",
    DnsRecord.cloudflare("www", "example.com", { ttl: Duration.days(2) }),
    "dnsRecord.ttl: 172800 seconds is not a TTL of Cloudflare: give 1 (automatic) or 60 to 86400 seconds",
  ),
  dns(
    "a TTL beyond the DNS",
    DnsRecord.digitalOcean("www", "example.com", { ttl: Duration.days(30_000) }),
    "dnsRecord.ttl: 2592000000 seconds is too large: at most 2147483647 seconds",
  ),
  recordSet(
    "a family that the address type does not have",
    { addressType: AddressType.RESERVED_IPV4, ipFamilies: [IpFamily.IPV6] },
    "addressType flipop.digitalocean.com/ipv4-reserved-ip has one family, but ipFamilies names another: remove ipFamilies",
  ),
  recordSet(
    "a family twice",
    { ipFamilies: [IpFamily.IPV4, IpFamily.IPV4] },
    'ipFamilies[1]: "IPv4" is listed twice: remove one',
  ),
];
