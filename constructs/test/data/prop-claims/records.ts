import { Duration } from "cdk8s";
import { AddressType, DnsRecord, IpFamily, NodeDNSRecordSet } from "../../../src";
import type { Make, PropClaim } from "./claim";

const records =
  (props: object): Make =>
  (chart) =>
    new NodeDNSRecordSet(chart, "it", { dnsRecord: DnsRecord.digitalOcean("a", "example.com"), ...props });

/** Of a NodeDNSRecordSet and its record. */
export const RECORD_CLAIMS: readonly PropClaim[] = [
  [
    "NodeDNSRecordSetProps.gracePeriod",
    "Whole seconds, 0 to a day",
    [records({ gracePeriod: Duration.hours(24) })],
    [records({ gracePeriod: Duration.hours(25) })],
  ],
  [
    "NodeDNSRecordSetProps.ipFamilies",
    "the other one is refused",
    [records({ addressType: AddressType.RESERVED_IPV4, ipFamilies: [IpFamily.IPV4] })],
    [records({ addressType: AddressType.RESERVED_IPV4, ipFamilies: [IpFamily.IPV6] })],
  ],
  [
    "DnsRecordOptions.ttl",
    "in whole seconds",
    [records({ dnsRecord: DnsRecord.cloudflare("a", "example.com", { ttl: Duration.seconds(1) }) })],
    [records({ dnsRecord: DnsRecord.cloudflare("a", "example.com", { ttl: Duration.millis(60_500) }) })],
  ],
];
