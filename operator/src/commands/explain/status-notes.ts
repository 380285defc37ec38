/** Pure: what the status of a resource says of its addresses and its DNS name, for `flipop explain`. */

import {
  type AddressStatus,
  type CreatedAddress,
  canonicalIp,
  type DnsStatus,
  type FloatingIPPoolSpec,
  type FloatingIPPoolStatus,
  normalRecordName,
  providerNamed,
} from "cdk8s-flipop/api";
import { DEFAULT_DNS_PROVIDER } from "../../claims/read-claims.js";
import { unlistedText } from "../../messages/nodes/address-count.js";
import { mayBeSameSet } from "../../records/record-equality.js";
import { listed } from "../../values.js";
import { namesWith } from "../claim-checks.js";
import type { OwnObject } from "../list-objects.js";

/** What its DNS name holds and what its firewall lets through, where all is well: otherwise a condition says so. */
export function wellText(kind: string, { status }: OwnObject): readonly string[] {
  const own = (status?.conditions ?? []).flatMap(({ type, reason, message }) => {
    if (reason !== "Observed") return [];
    if (type === "FirewallReady") return message;
    return type === "DNSReady" ? [message, ...nameServersText(status)] : [];
  });
  return kind === "RoutedIP" ? own : [...own, NO_FIREWALL];
}

/** The operator asks no resolver, and does not notice that other name servers answer for the zone. */
function nameServersText(status: OwnObject["status"]): readonly string[] {
  const { dns } = (status ?? {}) as FloatingIPPoolStatus;
  if (dns === undefined) return [];
  const provider = providerNamed(dns.provider);
  if (provider === undefined) return [];
  const isDomain = dns.zone.includes(".");
  const [of, name] = isDomain ? [dns.zone, dns.zone] : [`zone ${dns.zone}`, "DOMAIN"];
  return [
    `clients resolve the name only if the name servers of ${of} are those of ${provider.title}, where the operator writes its records (dig NS ${name} shows them): dnsRecordSet.provider can name another provider`,
  ];
}

/** Whoever comes from RoutedIPs expects rules. */
const NO_FIREWALL = "opens no firewall (only RoutedIPs do): those of the account must let clients through to its nodes";

/** The addresses of a pool that it does not serve on purpose, each with the reason. */
export function disabledText(object: OwnObject, askers: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const why = whyDisabled(object);
  const { ips = {} } = (object.status ?? {}) as FloatingIPPoolStatus;
  return Object.entries(ips).flatMap(([ip, { state, nodeName }]) => {
    if (state !== "disabled") return [];
    const others = askers.get(canonicalIp(ip)) ?? [];
    const gives = others.length === 0 && object.metadata.deletionTimestamp === undefined;
    const until = gives ? ", until another address of the pool needs that node" : "";
    const still = nodeName ? `; it is still on ${nodeName}${until}` : "";
    return [`${ip}: ${why}${still}${outlook(object, ip, others)}`];
  });
}

function whyDisabled({ metadata, spec }: OwnObject): string {
  const { desiredIPs = 0 } = (spec ?? {}) as Partial<FloatingIPPoolSpec>;
  if (metadata.deletionTimestamp !== undefined) return "the pool is being deleted";
  if (desiredIPs === 0) return "ips does not list it";
  return `desiredIPs is ${desiredIPs}, and other addresses come first: raise it to use this one`;
}

/** What happens to a disabled address. @param others resources that ask for it */
function outlook(object: OwnObject, ip: string, others: readonly string[]): string {
  const { metadata, spec, status } = object;
  const { ips, createdIPs = [] } = (status ?? {}) as FloatingIPPoolStatus;
  const created = createdIPs.find((entry) => entry.ip === ip);
  if (released(spec, created)) return `${releaseText(spec, ips?.[ip], others)}${formerNameText(object, ip)}`;
  if (others.length === 0) return created === undefined ? "" : byHandText(object, ip);
  const isGivenByHand = metadata.deletionTimestamp === undefined && lists(spec, ip);
  return isGivenByHand ? `${waitText(others)}: to give it up, remove it from ips` : waitText(others);
}

/** The account keeps it, and it costs money there. */
function byHandText({ metadata, spec, status }: OwnObject, ip: string): string {
  if (metadata.deletionTimestamp !== undefined) return "";
  const [name] = namesWith(status, ip);
  if (name !== undefined) return `; ${name} still holds it`;
  const { nodeName } = (status as FloatingIPPoolStatus | undefined)?.ips?.[ip] ?? {};
  const first = lists(spec, ip) ? "remove it from ips, then " : "";
  return `; if nothing needs it, ${first}flipop orphans --release ${ip}${nodeName ? " --unassign" : ""}`;
}

function lists(spec: OwnObject["spec"], ip: string): boolean {
  const { ips = [] } = (spec ?? {}) as Partial<FloatingIPPoolSpec>;
  return ips.map(canonicalIp).includes(canonicalIp(ip));
}

function released(spec: OwnObject["spec"], created: CreatedAddress | undefined): boolean {
  const { reclaimPolicy } = (spec ?? {}) as Partial<FloatingIPPoolSpec>;
  return reclaimPolicy === "Delete" && created !== undefined && created.inferred !== true;
}

function releaseText(
  spec: OwnObject["spec"],
  { retryAt, error }: Pick<AddressStatus, "retryAt" | "error"> = {},
  others: readonly string[],
): string {
  const { dnsRecordSet } = (spec ?? {}) as Partial<FloatingIPPoolSpec>;
  // The TTL of its DNS name, unless a call has failed.
  const drained = dnsRecordSet === undefined || error !== undefined ? "" : ", when no resolver returns it any more";
  const when = retryAt === undefined ? "" : ` at ${retryAt}${drained}`;
  const release = `; the operator releases it${when} (reclaimPolicy is Delete)`;
  // Whether these may have it depends on their classes and limits, which are the operator's to judge.
  return others.length === 0 ? release : `${release}, unless ${listed(others)} may have it`;
}

/** While its records cannot be changed, the wait for resolvers has not begun. */
function formerNameText({ spec, status }: OwnObject, ip: string): string {
  const { dnsRecordSet } = (spec ?? {}) as Partial<FloatingIPPoolSpec>;
  const { dns, begunRecords = [] } = (status ?? {}) as FloatingIPPoolStatus;
  const isFormer = (written: DnsStatus) =>
    dnsRecordSet !== undefined && !mayBeSameSet(written, { provider: DEFAULT_DNS_PROVIDER, ...dnsRecordSet });
  const holder = [...(dns ? [dns] : []), ...begunRecords].find((each) => isFormer(each) && each.values.includes(ip));
  return holder === undefined ? "" : `, but not while ${normalRecordName(holder).fqdn} still holds it`;
}

function waitText(others: readonly string[]): string {
  return `; ${listed(others)} ${others.length === 1 ? "waits" : "wait"} for it`;
}

/** The created addresses that a person removed from `ips`, and that the pool serves all the same. */
export function keptText({ spec, status }: OwnObject): readonly string[] {
  const { ips: own = [], desiredIPs = 0, reclaimPolicy = "Retain" } = (spec ?? {}) as Partial<FloatingIPPoolSpec>;
  const { ips = {}, createdIPs = [] } = (status ?? {}) as FloatingIPPoolStatus;
  const kept = createdIPs
    .filter(({ ip, inSpec }) => inSpec === true && !own.map(canonicalIp).includes(canonicalIp(ip)))
    .filter(({ ip }) => ips[ip] !== undefined && ips[ip].state !== "disabled");
  if (kept.length === 0) return [];
  const inferred = kept.some((entry) => entry.inferred === true);
  return [unlistedText({ ips: kept.map(({ ip }) => ip), reclaimPolicy, inferred }, desiredIPs)];
}

/** Other resources have all addresses of the pool that do not serve. */
export function wantsNoNode({ status = {} }: Pick<OwnObject, "status">): boolean {
  const { counts, ips = {} } = status as FloatingIPPoolStatus;
  const wanted = Object.values(ips).filter(({ state }) => state !== "disabled");
  const waiting = wanted.filter(({ state }) => state !== "active");
  if (counts === undefined || waiting.length === 0 || wanted.length < counts.desired) return false;
  return waiting.every(({ reason }) => reason === "ClaimedByOther");
}
