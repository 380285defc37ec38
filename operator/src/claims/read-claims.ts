/**
 * What each kind claims in its spec and status. Texts that are no address or name claim nothing. Names of record sets have
 * one form, so that equal names compare as equal.
 */

import {
  type AddressStatus,
  Annotation,
  canonicalIp,
  type DnsStatus,
  type FloatingIPPoolSpec,
  type FloatingIPPoolStatus,
  familyOf,
  type IpFamily,
  isIp,
  type KindName,
  type NodeDNSRecordSetSpec,
  type NodeDNSRecordSetStatus,
  type Reason,
  type RoutedIPSpec,
  type RoutedIPStatus,
} from "cdk8s-flipop/api";
import type { ObjectMeta } from "../kube/objects.js";
import type { RecordType } from "../providers/types.js";
import { isKept, type Title } from "./claim-rank.js";
import { type Claimant, type ClaimedAddress, type ClaimedName, isReplaced } from "./claimant.js";
import { claimedNames, noZones, type ZoneLookUp } from "./claimed-names.js";
import { familyOfPool } from "./pool-family.js";

/** A resource as read from the API server; `spec` may be absent under an older CRD. */
export interface Resource<Spec, Status> {
  readonly metadata: ObjectMeta;
  readonly spec?: Spec;
  readonly status?: Status;
}

/** What the limits of its namespace refuse a resource: it claims that only if the operator gave it before. */
export interface Refused {
  readonly isRefused: (ip: string) => boolean;
  readonly unnamed: boolean;
}

const NOT_REFUSED: Refused = { isRefused: () => false, unnamed: false };

export function poolClaims(
  { metadata, spec, status = {} }: Resource<FloatingIPPoolSpec, FloatingIPPoolStatus>,
  zones: ZoneLookUp = noZones,
  { isRefused, unnamed }: Refused = NOT_REFUSED,
): Claimant {
  const addresses = new Titles();
  addresses.add("asks", spec?.ips);
  const spared = new Set(maySpare(metadata, spec) ? addresses.ips() : []);
  addresses.add("restored", annotated(metadata));
  addresses.upgrade(Object.entries(status.ips ?? {}), spared);
  addresses.add("created", createdBy(status));
  const types = [typeOf(familyOfPool({ spec, status }))];
  const takes = publishable({ metadata, spec, written: status.dns }, hasActive(status) ? types : []);
  const desired = { recordSet: spec?.dnsRecordSet, provider: spec?.provider, types, status, takes };
  const items = addresses.desiredItems();
  const claimed = items.filter(({ ip, title }) => isKept(title) || !isRefused(ip));
  const names = allowedOf(claimedNames(desired, zones), unnamed);
  return { ...claimant("FloatingIPPool", { metadata, spec }, claimed, names), ...refusedOf(items, claimed) };
}

function refusedOf(items: readonly ClaimedAddress[], claimed: readonly ClaimedAddress[]): Pick<Claimant, "refused"> {
  const refused = items.filter((each) => !claimed.includes(each)).map(({ ip }) => ip);
  return refused.length === 0 ? {} : { refused };
}

/** What it lists beyond the number that it asks for is disabled. So is all of a pool that is being deleted. */
function maySpare({ deletionTimestamp }: ObjectMeta, { desiredIPs = 0 }: Partial<FloatingIPPoolSpec> = {}): boolean {
  return deletionTimestamp === undefined && desiredIPs > 0;
}

function hasActive({ ips = {} }: FloatingIPPoolStatus): boolean {
  return Object.values(ips).some(({ state }) => state === "active");
}

function createdBy(status: FloatingIPPoolStatus): readonly string[] | undefined {
  return status.createdIPs?.map(({ ip }) => ip);
}

export function nodeRecordClaims(
  { metadata, spec, status }: Resource<NodeDNSRecordSetSpec, NodeDNSRecordSetStatus>,
  zones: ZoneLookUp = noZones,
  { unnamed }: Pick<Refused, "unnamed"> = NOT_REFUSED,
): Claimant {
  const provider = spec?.provider || DEFAULT_DNS_PROVIDER;
  const types = publishedFamilies(spec).map(typeOf);
  const takes = publishable({ metadata, spec, written: status?.dns }, hasCandidates(status) ? types.slice(0, 1) : []);
  const desired = { recordSet: spec?.dnsRecordSet, provider, types, status, takes };
  return claimant("NodeDNSRecordSet", { metadata, spec }, [], allowedOf(claimedNames(desired, zones), unnamed));
}

function hasCandidates({ counts }: NodeDNSRecordSetStatus = {}): boolean {
  return counts !== undefined && counts.candidates > 0;
}

export interface RoutedService {
  /** Of the issuer; absent for a class with Jobs. Where the record set names none either: no name. */
  readonly provider?: string | undefined;
  /** It cannot be served: it claims only what the operator gave it before. */
  readonly unserved?: boolean;
  /** It may not have its DNS name: it claims the name only if its records are there. */
  readonly unnamed?: boolean;
}

export function routedIpClaims(
  { metadata, spec, status }: Resource<RoutedIPSpec, RoutedIPStatus>,
  { provider, unserved = false, unnamed = false }: RoutedService,
  zones: ZoneLookUp = noZones,
): Claimant {
  const types = [typeOf(routedFamily(spec, status))];
  const takes = publishable({ metadata, spec, written: status?.dns }, status?.state === "active" ? types : []);
  const desired = { recordSet: spec?.dnsRecordSet, provider, types, status, takes };
  const addresses = routedAddresses(metadata, spec, status);
  const names = claimedNames(desired, zones);
  const claimed = addresses.filter(({ title }) => !unserved || isKept(title));
  return claimant("RoutedIP", { metadata, spec }, claimed, allowedOf(names, unserved || unnamed));
}

function routedFamily(spec: RoutedIPSpec | undefined, status: RoutedIPStatus | undefined): IpFamily {
  return familyOf(spec?.routedIP || status?.routedIP || "");
}

function allowedOf(names: readonly ClaimedName[], unnamed: boolean): readonly ClaimedName[] {
  return names.filter(({ title }) => !unnamed || isKept(title));
}

/** Of a NodeDNSRecordSet that names no provider. */
export const DEFAULT_DNS_PROVIDER = "digitalocean";
const CLAIMED_BY_OTHER: Reason = "ClaimedByOther";

/** The best title for each address, in the order of the first mention. */
class Titles {
  private readonly titles = new Map<string, Title>();
  private readonly asked = new Set<string>();

  /** Titles come in rising order, so that the last one counts. */
  add(title: Title, ips: readonly string[] = []): void {
    for (const ip of ips) {
      if (typeof ip !== "string" || !isIp(ip)) continue;
      this.titles.set(canonicalIp(ip), title);
      if (title === "asks") this.asked.add(canonicalIp(ip));
    }
  }

  /**
   * A status that still has an address does not bring back one that the spec has dropped.
   * @param spared canonical: those that the resource does not need while they are disabled
   */
  upgrade(
    entries: readonly (readonly [ip: string, placement: Placement | undefined])[],
    spared: ReadonlySet<string> = new Set(),
  ): void {
    for (const [ip, placement] of entries) {
      const title = titleOf(placement, spared.has(canonicalIp(ip)));
      if (title !== undefined && this.titles.has(canonicalIp(ip))) this.add(title, [ip]);
    }
  }

  ips(): readonly string[] {
    return [...this.titles.keys()];
  }

  desiredItems(): readonly ClaimedAddress[] {
    const isUnlisted = (ip: string, title: Title) => title === "created" && !this.asked.has(ip);
    return [...this.titles].map(([ip, title]) => ({ ip, title, ...(isUnlisted(ip, title) && { unlisted: true }) }));
  }
}

function routedAddresses(metadata: ObjectMeta, spec: RoutedIPSpec | undefined, status: RoutedIPStatus = {}) {
  const { routedIP, created, providerID } = status;
  const seen = routedIP === undefined ? [] : [routedIP];
  const asked = spec?.routedIP === undefined ? seen : [spec.routedIP];
  const former = seen.filter((ip) => isReplaced(ip, asked));
  const kept = former.length > 0 ? [] : seen;
  const copied = annotated(metadata).filter((ip) => former.every((each) => isReplaced(each, [ip])));
  const addresses = new Titles();
  // Unless another resource asks for it.
  if (created || providerID !== undefined) addresses.add("leaves", former);
  addresses.add("asks", asked);
  addresses.add("restored", copied);
  addresses.upgrade(kept.map((ip) => [ip, status]));
  if (created) addresses.add("created", kept);
  return addresses.desiredItems();
}

/** What a status says of one address. */
type Placement = Pick<AddressStatus, "reason" | "state" | "providerID">;

/** `undefined`: the address is another one's. */
function titleOf({ reason, state, providerID }: Placement = {}, isSpared: boolean): Title | undefined {
  if (reason === CLAIMED_BY_OTHER) return undefined;
  if (state === "active" || state === "in-progress") return "serves";
  if (state === "no-match" || providerID !== undefined) return "holds";
  return isSpared && state === "disabled" ? "spares" : "waits";
}

function annotated({ annotations }: ObjectMeta): readonly string[] {
  const text = annotations?.[Annotation.createdIps] ?? "";
  return text.split(",").map((ip) => ip.trim());
}

function publishedFamilies(spec: NodeDNSRecordSetSpec | undefined): readonly IpFamily[] {
  if (spec?.addressType === Annotation.reservedIpv6) return ["IPv6"];
  if (spec?.addressType === Annotation.reservedIpv4) return ["IPv4"];
  return spec?.ipFamilies?.length ? spec.ipFamilies : ["IPv4"];
}

function typeOf(family: IpFamily): RecordType {
  return family === "IPv6" ? "AAAA" : "A";
}

interface Owner {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly paused?: boolean } | undefined;
}

/** @param active types for which it has addresses. A type that it has published it can publish elsewhere. */
function publishable(
  { metadata, spec, written }: Owner & { readonly written: DnsStatus | undefined },
  active: readonly RecordType[],
): readonly RecordType[] {
  if (metadata.deletionTimestamp !== undefined || spec?.paused === true) return [];
  return [...active, ...(written?.values ?? []).map((value) => typeOf(familyOf(value)))];
}

function claimant(
  kind: KindName,
  { metadata, spec }: Owner,
  addresses: readonly ClaimedAddress[],
  names: readonly ClaimedName[],
): Claimant {
  const { namespace = "", name, uid, creationTimestamp = "", deletionTimestamp } = metadata;
  const ref = { kind, namespace, name, uid };
  const state = { ...(deletionTimestamp !== undefined && { leaving: true }), ...(spec?.paused && { paused: true }) };
  // One that goes needs no name any more once its records are gone.
  const needed = names.filter(({ title }) => deletionTimestamp === undefined || isKept(title));
  return { ref, createdAt: creationTimestamp, ...state, addresses, names: needed };
}
