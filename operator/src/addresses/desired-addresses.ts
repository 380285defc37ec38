/** Which addresses the set has, in order, and how many of them should be up. */

import { Annotation, type CreatedAddress, canonicalIp, familyOf, type IpFamily, isIp } from "cdk8s-flipop/api";
import type { Claim } from "../claims/claims.js";
import type { Problem } from "../messages/message.js";
import type { Fulfilled } from "../messages/nodes/address-count.js";
import { compareText, omitUndefined } from "../values.js";
import type { AddressSet, AddressSnapshot } from "./address-set.js";

/**
 * `listed`: in the spec, never created for this resource. `created`: for this resource. `restored`: the status was lost, and
 * the annotation says that it was created for this resource; it counts, but is never released.
 */
export type Origin = "listed" | "restored" | "created";

export interface DesiredAddress {
  /** Canonical. */
  readonly ip: string;
  readonly origin: Origin;
  /** Should be up; else it is disabled. */
  readonly wanted: boolean;
  /** The list of the spec has it. */
  readonly inSpec: boolean;
  /** Created, as far as anybody can tell: no answer said so. Never released. @default false */
  readonly inferred?: boolean;
  /** Ours, or whose. `undefined`: undecided, so the operator does not touch it. */
  readonly claim: Claim | undefined;
  /** Why the limits do not allow it. If it is ours all the same, the operator served it before. */
  readonly refused?: Problem;
}

export interface Desired {
  readonly family: IpFamily;
  /** In order: wanted ones first. */
  readonly addresses: readonly DesiredAddress[];
  /** How many should be up. */
  readonly desiredCount: number;
  /** How many are to be created. Conflicted ones count as present. */
  readonly missing: number;
  /** Listed twice. */
  readonly duplicates: readonly string[];
  /** Entries of the spec's list that are no address of the family; as written. */
  readonly rejected: readonly string[];
}

export function desiredOf({ set, claims, inventory }: Pick<AddressSnapshot, "set" | "claims" | "inventory">): Desired {
  const family = set.family;
  const { valid, duplicates, rejected } = readList(set.listed, family);
  const inSpec = new Set(valid);
  const order = inOrder(set, valid, family);
  const asked = set.desiredCount;
  const isUnusable = (ip: string) =>
    set.refused?.has(ip) === true || claims.addresses.get(ip)?.ours === false || inventory.isGone(ip);
  // What the list has by mistake takes the place of no address that works.
  const spared = order.filter(({ ip }, index) => index < asked && isUnusable(ip)).length;
  const works = (ip: string) => set.statuses[ip]?.state === "active" && inventory.get(ip)?.holder !== undefined;
  const surplus = spared === 0 ? [] : order.slice(asked).filter(({ ip, origin }) => origin !== "listed" && works(ip));
  const kept = new Set(surplus.slice(0, spared).map(({ ip }) => ip));
  const isWanted = (ip: string, index: number) => (asked > 0 ? index < asked || kept.has(ip) : inSpec.has(ip));
  const inferred = new Set(set.createdIPs.flatMap((entry) => inferredIp(entry)));
  const addresses = order.map(({ ip, origin }, index): DesiredAddress => {
    const refused = origin === "created" ? undefined : set.refused?.get(ip);
    const mark = omitUndefined({ inferred: inferred.has(ip) || undefined, refused });
    return {
      ip,
      origin,
      wanted: isWanted(ip, index),
      inSpec: inSpec.has(ip),
      claim: claims.addresses.get(ip),
      ...mark,
    };
  });
  const wanted = addresses.filter((address) => address.wanted);
  return {
    family,
    addresses: [...wanted, ...addresses.filter((address) => !address.wanted)],
    desiredCount: asked > 0 ? asked : wanted.length,
    missing: Math.max(0, asked - addresses.length),
    duplicates,
    rejected,
  };
}

function inferredIp({ ip, inferred }: CreatedAddress): readonly string[] {
  return inferred === true ? [canonicalIp(ip)] : [];
}

/** What the set serves although a person took it out of the list. */
export function takenOutOf(
  { createdIPs, reclaimPolicy }: AddressSet,
  { addresses }: Desired,
): Pick<Fulfilled, "unlisted"> {
  const appended = new Set(createdIPs.flatMap(({ ip, inSpec }) => (inSpec === true ? [canonicalIp(ip)] : [])));
  const taken = addresses.filter(({ ip, inSpec, wanted }) => wanted && !inSpec && appended.has(ip));
  if (taken.length === 0) return {};
  const inferred = taken.some((address) => address.inferred === true);
  return { unlisted: { ips: taken.map(({ ip }) => ip), reclaimPolicy, inferred } };
}

/** That of the first address of a list, else IPv4. */
export function familyOfList(ips: readonly string[]): IpFamily {
  return familyOf(ips.find(isIp) ?? "");
}

/** Of its records: that of its addresses, unless they name another. */
export function dnsProviderOf({ provider, dnsRecordSet }: Pick<AddressSet, "provider" | "dnsRecordSet">): string {
  return dnsRecordSet?.provider || provider;
}

/** Addresses that the annotation says were created for the resource. */
export function annotatedIps({ metadata }: Pick<AddressSet, "metadata">): readonly string[] {
  const parts = (metadata.annotations?.[Annotation.createdIps] ?? "").split(",").map((part) => part.trim());
  return parts.filter(isIp).map(canonicalIp);
}

/**
 * In the order of the list: the last ones go when fewer are desired. Behind them those that the list does not have (yet), in
 * the order of their creation; the very last are those that a person took out of the list.
 */
function inOrder(set: AddressSet, listed: readonly string[], family: IpFamily) {
  const takenOut = ({ ip, inSpec }: CreatedAddress) => Number(inSpec === true && !listed.includes(canonicalIp(ip)));
  const entries = [...set.createdIPs].sort(
    (a, b) => takenOut(a) - takenOut(b) || compareText(a.createdTime, b.createdTime) || compareText(a.ip, b.ip),
  );
  const created = new Set(entries.map(({ ip }) => canonicalIp(ip)));
  const restored = new Set(annotatedIps(set).filter((ip) => !created.has(ip) && familyOf(ip) === family));
  const originOf = (ip: string): Origin => (created.has(ip) ? "created" : restored.has(ip) ? "restored" : "listed");
  return [...new Set([...listed, ...restored, ...created])].map((ip) => ({ ip, origin: originOf(ip) }));
}

function readList(ips: readonly string[], family: IpFamily) {
  const valid = new Set<string>();
  const duplicates = new Set<string>();
  const rejected: string[] = [];
  for (const written of ips) {
    const ip = canonicalIp(written);
    if (!isIp(written) || familyOf(ip) !== family) rejected.push(written);
    else if (valid.has(ip)) duplicates.add(ip);
    else valid.add(ip);
  }
  return { valid: [...valid], duplicates: [...duplicates], rejected };
}
