/** Step 1: which record set, and which address of a node goes into it. */

import { Annotation, type DnsRecordSet, type IpFamily, type NodeDNSRecordSetSpec } from "cdk8s-flipop/api";
import { DEFAULT_DNS_PROVIDER } from "../../claims/read-claims.js";
import type { RecordType } from "../../providers/types.js";
import type { DnsSnapshot } from "../../records/dns-snapshot.js";
import { ttlOf } from "../../records/record-sequence.js";

/** Where the address of a node is found: among its status addresses, or in an annotation. */
export type AddressSource = { readonly statusType: "ExternalIP" | "InternalIP" } | { readonly annotation: string };

type Spec = Partial<NodeDNSRecordSetSpec>;

export interface Desired {
  /** DNS provider. */
  readonly provider: string;
  readonly recordSet: DnsRecordSet;
  readonly source: AddressSource;
  /** Sorted: IPv4 first. */
  readonly families: readonly IpFamily[];
  /** Types of the records, in the order of the families. */
  readonly types: readonly RecordType[];
  readonly gracePeriodMs: number;
}

/** `undefined` for a spec that names no record set: nothing is wished then. */
export function desiredOf(spec: Spec): Desired | undefined {
  const recordSet = spec.dnsRecordSet;
  if (!recordSet?.zone || !recordSet.recordName) return undefined;
  const families = familiesOf(spec);
  return {
    provider: recordSet.provider || spec.provider || DEFAULT_DNS_PROVIDER,
    recordSet,
    source: sourceOf(spec),
    families,
    types: families.map((family) => (family === "IPv6" ? "AAAA" : "A")),
    gracePeriodMs: (spec.gracePeriodSeconds ?? 0) * 1000,
  };
}

/** Without a TTL in the spec, an existing one is left. */
export function ttlOfDesired({ recordSet }: Desired, dns: DnsSnapshot): number | "keep" {
  return recordSet.ttl ? ttlOf(dns, recordSet) : "keep";
}

function sourceOf({ addressType }: Spec): AddressSource {
  if (addressType === Annotation.reservedIpv4 || addressType === Annotation.reservedIpv6) {
    return { annotation: addressType };
  }
  return { statusType: addressType === "InternalIP" ? "InternalIP" : "ExternalIP" };
}

function familiesOf({ addressType, ipFamilies }: Spec): readonly IpFamily[] {
  if (addressType === Annotation.reservedIpv6) return ["IPv6"];
  if (addressType === Annotation.reservedIpv4 || !ipFamilies?.length) return ["IPv4"];
  const wanted = new Set(ipFamilies);
  return (["IPv4", "IPv6"] as const).filter((family) => wanted.has(family));
}
