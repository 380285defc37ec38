import { canonicalIp, familyOf, isIp } from "../../api/ip-address";
import type { KindName } from "../../api/kinds/kinds";
import { normalRecordName } from "../../api/kinds/record-name";
import { isObject, type JsonObject } from "../../api/schema/schema";
import { objectAt } from "../manifest";

/** Something that only one resource of a cluster may have. */
export interface Claim {
  /** Equal for equal claims of two resources. */
  readonly key: string;
  /** The field that claims it. */
  readonly path: string;
  /** The thing, for messages. */
  readonly thing: string;
}

/** A doubtful field that the operator accepts. */
export interface Doubt {
  /** Path of the field. */
  readonly path: string;
  /** What was seen, what it means and what to do. */
  readonly message: string;
}

const DEFAULT_DNS_PROVIDER = "digitalocean";

/** The addresses and record sets that a spec claims. What is not valid claims nothing: other checks report it. */
export function claimsOf(kind: KindName, spec: JsonObject): readonly Claim[] {
  return [...addressClaims(kind, spec), ...nameClaims(kind, spec)];
}

function addressClaims(kind: KindName, spec: JsonObject): readonly Claim[] {
  if (kind === "RoutedIP") return addressClaim(spec.routedIP, "spec.routedIP");
  if (kind !== "FloatingIPPool") return [];
  return listOf(spec.ips).flatMap((ip, index) => addressClaim(ip, `spec.ips[${index}]`));
}

function addressClaim(ip: unknown, path: string): readonly Claim[] {
  if (typeof ip !== "string" || !isIp(ip)) return [];
  return [{ key: `address ${canonicalIp(ip)}`, path, thing: `"${ip}"` }];
}

/** The operator writes one record set for each type. */
function nameClaims(kind: KindName, spec: JsonObject): readonly Claim[] {
  const { recordSet, provider } = recordSetOf(kind, spec);
  const { zone, recordName } = recordSet;
  if (provider === undefined || typeof zone !== "string" || typeof recordName !== "string") return [];
  const name = normalRecordName({ zone, recordName });
  return familiesOf(kind, spec).map((family) => {
    const type = family === "IPv6" ? "AAAA" : "A";
    const key = `name ${provider} ${type} ${name.zone} ${name.fqdn}`;
    return { key, path: "spec.dnsRecordSet", thing: `${type} record set "${name.fqdn}"` };
  });
}

/** The record set of a spec, and its provider if the spec alone decides it. */
export function recordSetOf(
  kind: KindName,
  spec: JsonObject,
): { readonly recordSet: JsonObject; readonly provider: string | undefined } {
  const recordSet = objectAt(spec, "dnsRecordSet");
  const fallback = kind === "RoutedIP" ? undefined : spec.provider || DEFAULT_DNS_PROVIDER;
  const provider = recordSet.provider || fallback;
  return { recordSet, provider: typeof provider === "string" ? provider : undefined };
}

function familiesOf(kind: KindName, spec: JsonObject): readonly string[] {
  if (kind === "NodeDNSRecordSet") return publishedFamilies(spec);
  const first = kind === "RoutedIP" ? spec.routedIP : listOf(spec.ips)[0];
  const family = typeof spec.ipFamily === "string" ? spec.ipFamily : familyOf(String(first ?? ""));
  return [family];
}

function publishedFamilies({ addressType, ipFamilies }: JsonObject): readonly string[] {
  const families = listOf(ipFamilies).filter((family) => typeof family === "string");
  if (families.length > 0) return families;
  return [String(addressType ?? "").includes("ipv6") ? "IPv6" : "IPv4"];
}

/** The items of a list; empty if the value is not a list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of a list. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return listOf(value).filter(isObject);
}
