/** What the limits of the operator's configuration do not allow a namespace. */

import { familyOf } from "cdk8s-flipop/api";
import { countOf, listed } from "../values.js";
import { refText } from "./claims.js";
import { note, problem, topic } from "./message.js";
import { HAVE_ADMINISTRATOR } from "./nodes/label-remedies.js";

interface Limited {
  /** What limits it: the entry of the configuration. */
  readonly limiter: string;
  /** @default there is none */
  readonly late?: LateEntry;
}

/** A more exact entry of the configuration, which does not apply, because it comes after the one that does. */
export interface LateEntry {
  /** `namespaces[1] (for team-shop)` */
  readonly entry: string;
  /** That applies. */
  readonly first: string;
  /** What it would need to allow what was asked: `raise maxCreatedAddresses`. Absent: it allows that. */
  readonly lacks?: string;
}

interface Reached extends Limited {
  readonly most: number;
  /** In the namespace of the resource: a team sees nothing of others. Those with most addresses first. */
  readonly holders: readonly {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    /** Of created addresses. */
    readonly count: number;
  }[];
}

interface TakeOver extends Limited {
  /** Created for another resource. */
  readonly ip: string;
}

interface ReachedByAll extends Reached {
  /** Of `most`, those in the namespace of the resource. */
  readonly own: number;
  readonly namespace: string;
  /** Of `most`, those in other namespaces. */
  readonly elsewhere: number;
}

/** Resources with created addresses that a message names. */
const NAMED_HOLDERS = 3;
const IN_NAMESPACE = " of the namespace";

/**
 * `FloatingIPPool team-a/shop has 2, RoutedIP team-a/web has 1, 2 more resources of the namespace have 3`
 * @param among ` of the namespace`, or nothing
 */
export function holdersOf(holders: Reached["holders"], among: string): readonly string[] {
  const named = holders.slice(0, NAMED_HOLDERS).map((holder) => `${refText(holder)} has ${holder.count}`);
  const rest = holders.slice(NAMED_HOLDERS);
  if (rest.length === 0) return named;
  const sum = rest.reduce((total, { count }) => total + count, 0);
  return [...named, `${countOf(rest.length, "more resource")}${among} ${rest.length === 1 ? "has" : "have"} ${sum}`];
}

function inBrackets(texts: readonly string[]): string {
  return texts.length === 0 ? "" : ` (${texts.join(", ")})`;
}

const HOLDERS: Reached["holders"] = [
  { kind: "FloatingIPPool", namespace: "team-a", name: "shop", count: 2 },
  { kind: "RoutedIP", namespace: "team-a", name: "web", count: 1 },
];

function maximum({ limiter, most }: Pick<Reached, "limiter" | "most">): string {
  return `${limiter} allows the operator to create ${most} address${most === 1 ? "" : "es"}`;
}

function lowerCount({ limiter, late }: Limited): string {
  return `delete resources with created addresses, lower desiredIPs of a pool with reclaimPolicy Delete (if all exist, the operator then releases one that serves), or ${haveChanged(limiter, "raise maxCreatedAddresses", late)}`;
}

function removeMaximum({ late }: Limited): string {
  return late === undefined ? `${HAVE_ADMINISTRATOR} remove maxCreatedAddresses from tenantLimits` : haveMoved(late);
}

/** @param issuer whose policy keeps the address; absent: the resource has a policy of its own */
function wouldKeep(limiter: string, issuer: string | undefined): string {
  const policy = issuer === undefined ? "reclaimPolicy Retain" : `policy Retain of RoutedIPIssuer ${issuer}`;
  return `${limiter} limits created addresses, and under ${policy} the account would keep`;
}

function uncounted(limiter: string, issuer?: string): string {
  return `${wouldKeep(limiter, issuer)} addresses of deleted resources, which no longer count, so the operator creates none`;
}

/** The limits of all namespaces. */
export const TENANT_LIMITS = "the operator's tenantLimits";
const ENTRY = `${TENANT_LIMITS}.namespaces[0]`;

/** @param limiter an entry of the operator's configuration, an issuer or a class. @param change `add it to allowedNames` */
export function haveChanged(limiter: string, change: string, late?: LateEntry): string {
  if (late !== undefined) return haveMoved(late);
  return limiter.startsWith(TENANT_LIMITS)
    ? `${HAVE_ADMINISTRATOR} ${change} in ${limiter}`
    : `ask the author of ${limiter} to ${change}`;
}

/** A change of the entry that applies would hold for all its namespaces. */
function haveMoved({ entry, first, lacks }: LateEntry): string {
  const [place, why] = [`before ${first}`, "only the first entry that matches a namespace applies"];
  if (lacks === undefined) return `${HAVE_ADMINISTRATOR} move ${entry} ${place} in ${TENANT_LIMITS}, where ${why}`;
  return `${HAVE_ADMINISTRATOR} ${lacks} in ${entry} of ${TENANT_LIMITS}, and move that entry ${place}, because ${why}`;
}

/** What one class, issuer or entry refuses of a DNS name. */
export interface NameRefusal extends Limited {
  /** `allowedNames is empty` */
  readonly lists: string;
  /** `www.example.com to allowedNames` */
  readonly additions: string;
}

export function nameRefusalTexts(name: string, refusals: readonly NameRefusal[]): readonly string[] {
  return refusals.map(({ limiter, lists }) => `${limiter} does not allow the DNS name ${name} (${lists})`);
}

export function nameChangeTexts(refusals: readonly NameRefusal[]): readonly string[] {
  return refusals.map(({ limiter, additions, late }) => haveChanged(limiter, `add ${additions}`, late));
}

/** Which addresses one class, issuer or entry allows. */
export interface AddressRefusal extends Limited {
  /** As written in `allowedAddresses`. */
  readonly allowed: readonly string[];
}

/** @param namespace of the resource */
export function addressRefusalsText(namespace: string, refusals: readonly AddressRefusal[]): string {
  return joined(refusals.map(({ limiter, allowed }) => `${limiter} allows ${addressesText(allowed, namespace)}`));
}

/** @param others further addresses that are refused */
export function addressChangesText(
  ip: string,
  refusals: readonly AddressRefusal[],
  others: readonly string[] = [],
): string {
  const change = additionOf(ip);
  const likewise = others.length === 0 ? "" : ", and likewise for the others";
  return `${joined(refusals.map(({ limiter, late }) => haveChanged(limiter, change, late)))}${likewise}`;
}

export function additionOf(ip: string): string {
  return `add ${ip}/${familyOf(ip) === "IPv6" ? 128 : 32} to allowedAddresses`;
}

function addressesText(allowed: readonly string[], namespace: string): string {
  if (allowed.length === 0) return "no existing address";
  const ranges = allowed.filter((entry) => entry !== "Created");
  const texts = [
    ...(ranges.length > 0 ? [`addresses of ${listed(ranges)}`] : []),
    ...(ranges.length < allowed.length ? [`addresses that the operator created for namespace ${namespace}`] : []),
  ];
  return `only ${texts.join(" and ")}`;
}

/** The classes and issuers that allow fewer ports than a Service needs. */
interface PortMaxima {
  readonly limits: readonly (Limited & { readonly most: number })[];
  readonly needed: number;
}

export function portMaximaText({ limits }: PortMaxima): string {
  return joined(limits.map(({ limiter, most }) => `${limiter} allows ${countOf(most, "port")}`));
}

export function raiseMaxima({ limits, needed }: PortMaxima): string {
  const authors = limits.slice(0, MOST_LIMITERS).map(({ limiter }) => `the author of ${limiter}`);
  return `${authors.join(" and ")} to set maxPorts to ${needed}`;
}

export interface PortRefusal {
  /** Such as "ClusterRoutedIPClass web"; several refuse the same ports. */
  readonly limiters: readonly string[];
  readonly ports: readonly string[];
}

export function refusalText({ limiters, ports }: PortRefusal): string {
  const all = limiters.slice(0, MOST_LIMITERS);
  return `${all.join(" and ")} ${all.length === 1 ? "does" : "do"} not allow ${listed(ports)}`;
}

/** Whom to ask for what. With one refusal, the text names its ports right before. */
export function additionsText(refusals: readonly PortRefusal[]): string {
  const additions = refusals.map(({ limiters, ports }) => {
    const authors = limiters.slice(0, MOST_LIMITERS).map((limiter) => `the author of ${limiter}`);
    const them = ports.length === 1 ? "it" : "them";
    const lists = authors.length === 1 ? "allowedPorts" : "allowedPorts of both";
    return `${authors.join(" and ")} to add ${refusals.length === 1 ? them : listed(ports)} to ${lists}`;
  });
  return joined(additions);
}

/** A class, its issuer, and an entry of the configuration. */
const MOST_LIMITERS = 3;

export function joined(texts: readonly string[]): string {
  return texts.slice(0, MOST_LIMITERS).join(", and ");
}

export const tenantMessages = topic("tenants", {
  nameKept: note({
    reason: "NameNotAllowed",
    text: ({ name, limiter }: Limited & { readonly name: string }) =>
      `${limiter} no longer allows the DNS name ${name}; the operator keeps its records up to date, because it wrote them before`,
    example: { name: "www.example.com", limiter: ENTRY },
  }),
  addressesKept: note({
    reason: "AddressNotAllowed",
    text: ({ ips, limiter }: Limited & { readonly ips: readonly string[] }) =>
      `${limiter} no longer allows ${listed(ips)}; the operator goes on serving the addresses that the resource had before`,
    example: { ips: ["203.0.113.7"], limiter: ENTRY },
  }),
  tooManyCreated: problem({
    reason: "CreationNotAllowed",
    by: "administrator",
    text: (reached: Reached) =>
      `${maximum(reached)}, and as many exist or are being created${inBrackets(holdersOf(reached.holders, IN_NAMESPACE))}, so it creates no more`,
    remedy: lowerCount,
    example: { limiter: ENTRY, most: 3, holders: HOLDERS },
  }),
  tooManyInAll: problem({
    reason: "CreationNotAllowed",
    by: "administrator",
    text: ({ own, namespace, elsewhere, ...reached }: ReachedByAll) =>
      `${maximum(reached)} in all namespaces together, and as many exist or are being created${inBrackets([`${own} in namespace ${namespace}`, `${elsewhere} in other namespaces`, ...holdersOf(reached.holders, IN_NAMESPACE)])}, so it creates no more`,
    remedy: lowerCount,
    example: { limiter: TENANT_LIMITS, most: 50, own: 3, namespace: "team-a", elsewhere: 47, holders: HOLDERS },
  }),
  notCounted: problem({
    reason: "UnderWay",
    by: "operator",
    text: () =>
      "the operator has not read all resources yet, so it cannot count the addresses that it created; it creates none before",
  }),
  retainNotCounted: problem({
    reason: "CreationNotAllowed",
    by: "author",
    text: ({ limiter }: Limited) => uncounted(limiter),
    remedy: (limited) =>
      `set reclaimPolicy to Delete, which releases the address with its resource, or ${removeMaximum(limited)}`,
    example: { limiter: ENTRY },
  }),
  retainNotTakenOver: problem({
    reason: "AddressNotAllowed",
    by: "other",
    text: ({ ip, issuer, limiter }: TakeOver & { readonly issuer?: string }) =>
      `${wouldKeep(limiter, issuer)} ${ip}, which the operator created, without counting it, so this resource does not get it`,
    remedy: ({ issuer, ...limited }) => {
      const change =
        issuer === undefined
          ? "set reclaimPolicy to Delete"
          : "ask the author of the issuer to set routedIPReclaimPolicy to Delete";
      return `${change}, which releases the address with its resource, or ${removeMaximum(limited)}`;
    },
    example: { limiter: ENTRY, ip: "203.0.113.7", issuer: "ingress/digitalocean" },
  }),
  notTakenOver: problem({
    reason: "AddressNotAllowed",
    by: "author",
    text: ({ ip, limiter }: TakeOver) =>
      `${limiter} limits created addresses, and the operator created ${ip} for another resource; it counts as created only for a RoutedIP of an issuer that has no other address, so this one does not get it`,
    remedy: ({ ip, ...limited }) =>
      `use a FloatingIPPool with reclaimPolicy Delete, or a new RoutedIP of an issuer with routedIPReclaimPolicy Delete, for ${ip}, or ${removeMaximum(limited)}`,
    example: { limiter: ENTRY, ip: "203.0.113.7" },
  }),
  fullForTakeOver: problem({
    reason: "AddressNotAllowed",
    by: "administrator",
    text: ({ ip, ...reached }: Reached & TakeOver) =>
      `${maximum(reached)}, and as many exist${inBrackets(holdersOf(reached.holders, IN_NAMESPACE))}, so this resource does not get ${ip}, which the operator created for another namespace`,
    remedy: lowerCount,
    example: { limiter: ENTRY, most: 3, holders: HOLDERS, ip: "203.0.113.7" },
  }),
  issuerRetains: problem({
    reason: "CreationNotAllowed",
    by: "other",
    text: ({ issuer, limiter }: Limited & { readonly issuer: string }) => uncounted(limiter, issuer),
    remedy: (limited) =>
      `ask the author of the issuer to set routedIPReclaimPolicy to Delete, set routedIP to an address of the account in allowedAddresses of class and issuer, or ${removeMaximum(limited)}`,
    example: { limiter: ENTRY, issuer: "ingress/digitalocean" },
  }),
});
