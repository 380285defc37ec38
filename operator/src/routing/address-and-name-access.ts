/** What a RoutedIP may have, by its class and its issuer: addresses and DNS names. `port-access.ts` has the ports. */

import { BlockList } from "node:net";
import {
  type AccessLimits,
  CREATED_ADDRESSES,
  canonicalIp,
  familyOf,
  type IpFamily,
  isIp,
  matchesNamePattern,
  type NameLimits,
  parseAddressRange,
  type RetainedAddress,
  type RoutedIPStatus,
} from "cdk8s-flipop/api";
import { accessMessages } from "../messages/issuers-and-classes.js";
import { type Problem, valuesIn } from "../messages/message.js";
import { type Mistake, specMessages } from "../messages/spec.js";
import type { AddressRefusal, LateEntry, NameRefusal } from "../messages/tenants.js";
import { withinMost } from "../records/retained-records.js";
import { listed, netFamilyOf, omitUndefined } from "../values.js";

/** Limits of one resource. */
export interface LimitSource {
  /** Kind and name, for messages. */
  readonly of: string;
  /** Of an issuer. Absent: a class, whose author is an administrator. */
  readonly namespace?: string;
  readonly limits: AccessLimits;
  /** What is wrong with its spec as it is stored: the limits lack the fields that are. */
  readonly problem?: Problem | undefined;
}

/** An address has to be allowed by each. Empty: all addresses of the account. */
export type AddressAccess = readonly AddressList[];

interface AddressList {
  /** Kind and name, for messages. */
  readonly of: string;
  /** As written. */
  readonly entries: readonly string[];
  readonly ranges: Ranges;
}

/** By family: a list of both would find each IPv4 address in the range ::/0. */
type Ranges = Readonly<Record<IpFamily, BlockList>>;

export function addressAccessOf(sources: readonly LimitSource[]): AddressAccess {
  return sources.flatMap(({ of, limits: { allowedAddresses } }) =>
    allowedAddresses === undefined ? [] : [{ of, entries: allowedAddresses, ranges: rangesOf(allowedAddresses) }],
  );
}

export interface AddressUser {
  readonly namespace: string;
  readonly status: RoutedIPStatus;
  /** That it would use. Anybody who may edit a RoutedIP can write any address into its spec and annotations. */
  readonly ips: readonly string[];
}

/**
 * Why the RoutedIP may not use the addresses that it names.
 * @param retained that the operator created before, for any namespace.
 */
export function addressProblem(
  { namespace, status, ips }: AddressUser,
  access: AddressAccess,
  retained: readonly RetainedAddress[],
): Problem | undefined {
  for (const ip of ips.filter(isIp).map(canonicalIp)) {
    const refusals = addressRefusals(ip, access, isCreatedFor(retained, namespace, ip));
    if (refusals.length === 0 || hasHad(status, ip)) continue;
    const createdFor = retained.find((entry) => canonicalIp(entry.ip) === ip)?.namespace;
    return accessMessages.addressNotAllowed({ ip, refusals, namespace, ...omitUndefined({ createdFor }) });
  }
  return undefined;
}

/**
 * Each list that does not allow an address: to correct one alone would not help.
 * @param ip canonical
 * @param isCreated the operator created it for the namespace of whoever asks.
 */
export function addressRefusals(ip: string, access: AddressAccess, isCreated: boolean): readonly AddressRefusal[] {
  const refusing = access.filter(({ entries, ranges }) => {
    const created = isCreated && entries.includes(CREATED_ADDRESSES);
    return !created && !ranges[familyOf(ip)].check(ip, netFamilyOf(ip));
  });
  return refusing.map(({ of: limiter, entries: allowed }) => ({ limiter, allowed }));
}

/** The status shows that the operator gave the address to this RoutedIP: a change of the limits takes nothing away. */
export function hasHad({ routedIP, created, providerID, reason }: RoutedIPStatus, ip: string): boolean {
  if (routedIP === undefined || canonicalIp(routedIP) !== ip || reason === "ClaimedByOther") return false;
  return created === true || providerID !== undefined;
}

/** Those of the namespace that a RoutedIP there may name in its spec. */
export function usableRetained<T extends RetainedAddress>(
  retained: readonly T[],
  namespace: string,
  access: AddressAccess,
): readonly T[] {
  const isUsable = (ip: string) => addressRefusals(canonicalIp(ip), access, true).length === 0;
  return retained.filter((entry) => entry.namespace === namespace && isUsable(entry.ip));
}

function isCreatedFor(retained: readonly RetainedAddress[], namespace: string, ip: string): boolean {
  return retained.some((entry) => entry.namespace === namespace && canonicalIp(entry.ip) === ip);
}

/** The list of retained addresses with one more. `undefined`: it is there already. */
export function withRetained(
  known: readonly RetainedAddress[] = [],
  added: RetainedAddress,
): readonly RetainedAddress[] | undefined {
  const same = known.find(({ ip }) => ip === added.ip);
  if (same?.namespace === added.namespace) return undefined;
  return withinMost([...known.filter((entry) => entry !== same), added]);
}

function rangesOf(entries: readonly string[]): Ranges {
  const ranges = { IPv4: new BlockList(), IPv6: new BlockList() };
  const known = entries.map(parseAddressRange).filter((range) => range !== undefined);
  for (const { ip, bits } of known) {
    ranges[familyOf(ip)].addSubnet(ip, bits, netFamilyOf(ip));
  }
  return ranges;
}

export interface NameAccess {
  /** A name has to be allowed by each. */
  readonly lists: readonly NameList[];
  readonly sources: readonly LimitSource[];
}

/** Who may write records of other programs with a token. */
export interface AdoptAccess {
  /** Records that the operator did not write may be replaced. */
  readonly adopts: boolean;
  /** What keeps the operator from that, by kind and name, for messages (after "the author of"). Absent: no class or issuer decides about this token. */
  readonly adopter?: string;
}

/** The token with which records are written. */
export interface DnsToken {
  readonly provider: string;
  /** Where it is kept. */
  readonly namespace: string;
}

export interface NameList extends Pick<LimitSource, "of" | "namespace"> {
  readonly limits: NameLimits;
  /** A more exact entry of the configuration, which comes too late to apply. */
  readonly late?: Pick<LateEntry, "entry" | "first"> & { readonly limits: NameLimits };
}

export interface AskedName {
  /** As the resource has it. */
  readonly zone: string;
  /** In lower case, without the final dot: the zone's domain, and the full name. */
  readonly normal: { readonly zone: string; readonly fqdn: string };
  readonly namespace: string;
}

export function nameAccessOf(sources: readonly LimitSource[]): NameAccess {
  const lists = sources.filter(({ limits }) => limits.allowedZones !== undefined || limits.allowedNames !== undefined);
  return { lists, sources };
}

export function adoptAccessOf({ sources }: Pick<NameAccess, "sources">, token: DnsToken): AdoptAccess {
  const forbidding = sources.filter(({ limits }) => limits.adoptRecords === false);
  const grantors = sources.filter((source) => mayGrant(source, token));
  const adopts = forbidding.length === 0 && grantors.some(({ limits }) => limits.adoptRecords === true);
  const asked = (forbidding.length > 0 ? forbidding : grantors.slice(0, 1)).map(({ of }) => of);
  return { adopts, ...(asked.length === 0 ? {} : { adopter: asked.join(" and the author of ") }) };
}

/** The author of an issuer decides only about tokens of its own namespace, whatever the issuer's lists say. */
function mayGrant({ namespace }: Pick<LimitSource, "namespace">, token: DnsToken): boolean {
  return namespace === undefined || namespace === token.namespace;
}

/** Why the name may not be used. Without limits, a resource may use a token of its own namespace. */
export function nameProblem(asked: AskedName, { lists, sources }: NameAccess, token: DnsToken): Problem | undefined {
  const { fqdn: name } = asked.normal;
  const source = sources.find((each) => mayGrant(each, token));
  const isOwn = token.namespace === asked.namespace;
  if (source === undefined && !isOwn) return accessMessages.tokenOfOthers({ name, ...token });
  const wrong = wrongNameLists(name, sources);
  if (wrong !== undefined) return wrong;
  if (isOwn || source === undefined || lists.some((list) => mayGrant(list, token))) return refusedName(asked, lists);
  return accessMessages.noNameAllowed({ name, limiter: source.of, refusals: refusalsOf(asked, lists) });
}

/** A list that cannot be read may allow less than the others. */
function wrongNameLists(name: string, sources: readonly LimitSource[]): Problem | undefined {
  const all = sources.map((source) => ({ limiter: source.of, wrong: mistakesIn(source, NAME_LISTS) }));
  const found = all.find(({ wrong }) => wrong.length > 0);
  return found && specMessages.ofNameLists({ name, ...found });
}

const NAME_LISTS = /^spec\.allowed(Names|Zones)\b/;

/** Limits that cannot be read would count as absent, and allow everything. */
export function wrongLimitsOf(sources: readonly LimitSource[]): Problem | undefined {
  const all = sources.map((source) => ({ limiter: source.of, wrong: mistakesIn(source, LIMITS) }));
  const found = all.find(({ wrong }) => wrong.length > 0);
  return found && specMessages.ofLimits(found);
}

/** Wrong lists of names refuse names alone. */
const LIMITS = /^spec\.(allowed(Namespaces|Addresses|Ports)|maxPorts)\b/;

function mistakesIn({ problem }: LimitSource, fields: RegExp): readonly Mistake[] {
  const all = problem === undefined ? [] : valuesIn(problem, specMessages.invalid).flatMap((each) => each.mistakes);
  return all.filter(({ path }) => fields.test(path));
}

export function refusedName(asked: AskedName, lists: readonly NameList[]): Problem | undefined {
  const { zone, fqdn: name } = asked.normal;
  const undecided = isZoneUnknown(asked.normal) && lists.find(({ limits }) => !allowsId(asked.zone, limits));
  if (undecided) return accessMessages.zoneUnknown({ name, zone, limiter: undecided.of });
  const refusals = refusalsOf(asked, lists);
  return refusals.length === 0 ? undefined : accessMessages.nameNotAllowed({ name, refusals });
}

function refusalsOf(asked: AskedName, lists: readonly NameList[]): readonly NameRefusal[] {
  return lists.flatMap(({ limits, of: limiter, late }) => {
    const closed = closedLists(asked, limits);
    const texts = closed.map(
      ({ field, entries }) => `${field} is ${listed(entries) || "empty"}${starText(field, entries)}`,
    );
    const refusal = { limiter, lists: texts.join("; "), additions: additionsTo(closed) };
    return closed.length === 0 ? [] : [{ ...refusal, ...(late && { late: lateFor(asked, late) }) }];
  });
}

function lateFor(asked: AskedName, { entry, first, limits }: NonNullable<NameList["late"]>): LateEntry {
  const closed = closedLists(asked, limits);
  return { entry, first, ...(closed.length > 0 && { lacks: `add ${additionsTo(closed)}` }) };
}

function additionsTo(closed: readonly ClosedList[]): string {
  return closed.map(({ field, lacks }) => `${lacks} to ${field}`).join(" and ");
}

/** The name is neither allowed nor refused before the domain of its zone, which is given by an id, is known. */
export function isUndecidedName(problem: Problem | undefined): boolean {
  return problem?.id === accessMessages.zoneUnknown.id;
}

/** Nothing but the id is needed. */
function allowsId(zone: string, { allowedZones, allowedNames }: NameLimits): boolean {
  return allowedNames === undefined && allowedZones?.some((allowed) => plain(allowed) === plain(zone)) === true;
}

/** A domain has a dot, an id has none. */
function isZoneUnknown({ zone }: AskedName["normal"]): boolean {
  return !zone.includes(".");
}

interface ClosedList {
  readonly field: "allowedZones" | "allowedNames";
  readonly entries: readonly string[];
  /** What would have to be in it. */
  readonly lacks: string;
}

function starText(field: ClosedList["field"], entries: readonly string[]): string {
  const hasStar = field === "allowedNames" && entries.some((entry) => entry.includes("*"));
  return hasStar ? ", where * stands for text without a dot" : "";
}

/** The lists that refuse the name; none: it is allowed. */
function closedLists(asked: AskedName, { allowedZones, allowedNames }: NameLimits): readonly ClosedList[] {
  const { zone, normal, namespace } = asked;
  const zones = [zone, normal.zone].map(plain);
  const inZone = allowedZones?.some((allowed) => zones.includes(plain(allowed))) ?? true;
  const named = allowedNames?.some((each) => matchesNamePattern(normal.fqdn, each, namespace)) ?? true;
  return [
    ...(inZone ? [] : [{ field: "allowedZones" as const, entries: allowedZones ?? [], lacks: zone }]),
    ...(named ? [] : [{ field: "allowedNames" as const, entries: allowedNames ?? [], lacks: normal.fqdn }]),
  ];
}

function plain(zone: string): string {
  return zone.toLowerCase().replace(/\.$/, "");
}
