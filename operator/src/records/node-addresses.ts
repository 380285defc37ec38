/** The addresses of a node that a record set publishes. */

import { BlockList } from "node:net";
import {
  Annotation,
  canonicalIp,
  familyOf,
  IP_FAMILIES,
  type IpFamily,
  isIp,
  type NodeDNSRecordSetSpec,
} from "cdk8s-flipop/api";
import type { NodeFacts } from "../match/node-facts.js";
import { netFamilyOf } from "../values.js";

export interface PublishedKind {
  readonly source: AddressSource;
  /** Sorted: IPv4 first. */
  readonly families: readonly IpFamily[];
}

type Spec = Partial<Pick<NodeDNSRecordSetSpec, "addressType" | "ipFamilies">>;

export function publishedKind(spec: Spec): PublishedKind {
  return { source: sourceOf(spec), families: familiesOf(spec) };
}

/** The value of `addressType`, also where the spec leaves it out. */
export function addressTypeOf({ source }: Pick<PublishedKind, "source">): string {
  return "annotation" in source ? source.annotation : source.statusType;
}

/** For people, after "no" or "an": `IPv4 address in ExternalIP`. */
export function publishedText({ source, families }: PublishedKind): string {
  const where = "annotation" in source ? `annotation ${source.annotation}` : source.statusType;
  return `${families.join(" or ")} address in ${where}`;
}

/** One of each family at most, canonical: the first that the node names, and that a client may reach. */
export function addressesOf(node: NodeFacts, { source, families }: PublishedKind): readonly string[] {
  const all = named(node, source)
    .filter((ip) => isIp(ip) && !isUnreachable(ip))
    .map(canonicalIp);
  return families.flatMap((family) => all.find((ip) => familyOf(ip) === family) ?? []);
}

/** A family that `ipFamilies` leaves out, and of which the node has an address there. Of an annotation: none. */
export function offeredFamily(node: NodeFacts, kind: PublishedKind): IpFamily | undefined {
  if ("annotation" in kind.source) return undefined;
  const others = IP_FAMILIES.filter((family) => !kind.families.includes(family));
  return others.find((family) => addressesOf(node, { ...kind, families: [family] }).length > 0);
}

/** Of a range that the internet does not route (RFC 1918, RFC 6598, RFC 4193). */
export function isPrivate(ip: string): boolean {
  return PRIVATE.check(ip, netFamilyOf(ip));
}

const PRIVATE = new BlockList();
PRIVATE.addSubnet("10.0.0.0", 8);
PRIVATE.addSubnet("172.16.0.0", 12);
PRIVATE.addSubnet("192.168.0.0", 16);
PRIVATE.addSubnet("100.64.0.0", 10);
PRIVATE.addSubnet("fc00::", 7, "ipv6");

/** It means the client itself, its own link, a group, or nothing: no name should lead there. */
function isUnreachable(ip: string): boolean {
  return UNREACHABLE.check(ip, netFamilyOf(ip));
}

const UNREACHABLE = new BlockList();
UNREACHABLE.addSubnet("0.0.0.0", 8);
UNREACHABLE.addSubnet("127.0.0.0", 8);
UNREACHABLE.addSubnet("169.254.0.0", 16);
UNREACHABLE.addSubnet("224.0.0.0", 3);
UNREACHABLE.addSubnet("::", 127, "ipv6"); // Unspecified and loopback.
UNREACHABLE.addSubnet("fe80::", 10, "ipv6");
UNREACHABLE.addSubnet("ff00::", 8, "ipv6");

function named({ addresses, annotations }: NodeFacts, source: AddressSource): readonly string[] {
  if ("annotation" in source) return [annotations[source.annotation] ?? ""];
  return addresses.filter(({ type }) => type === source.statusType).map(({ address }) => address);
}

/** Where the address of a node is found: among its status addresses, or in an annotation. */
type AddressSource = { readonly statusType: "ExternalIP" | "InternalIP" } | { readonly annotation: string };

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
  return IP_FAMILIES.filter((family) => wanted.has(family));
}
