/** The one address of a RoutedIP, for the code that pools and RoutedIPs share; and a created address that the spec has replaced by another one. Pure. */

import { type AddressStatus, type CreatedAddress, canonicalIp, familyOf, type RoutedIPStatus } from "cdk8s-flipop/api";
import type { AddressSet } from "../../../addresses/address-set.js";
import { type CreationFields, knownStatus } from "../../../addresses/creation/create-address.js";
import type { CreationResult } from "../../../addresses/creation/creation-result.js";
import { annotatedIps, familyOfList } from "../../../addresses/desired-addresses.js";
import { isOfOther, isServed, type Placement } from "../../../addresses/placements.js";
import { giveBack, isSurelyGone } from "../../../addresses/release.js";
import { passOn } from "../../../addresses/releases/heirs.js";
import { isReleasable } from "../../../addresses/releases/releasable.js";
import { timeOf } from "../../../clock.js";
import { WHYS } from "../../../messages/action-reasons.js";
import type { RoutedIP, RoutedRead } from "../../../routing/read-resources.js";
import { omitUndefined } from "../../../values.js";
import { type ActionChain, type RetainAction, sharedChain } from "../actions.js";
import type { Snapshot } from "../snapshot.js";

export function addressSetOf({ routed, resolvedClass }: Pick<Snapshot, "routed" | "resolvedClass">): AddressSet {
  const { metadata, spec, status, stop } = routed;
  const listed = listedIps(routed);
  return {
    kind: "RoutedIP",
    metadata,
    provider: resolvedClass?.provider ?? "",
    region: resolvedClass?.region,
    family: familyOfList(listed),
    listed,
    desiredCount: 1,
    gracePeriodSeconds: spec.gracePeriodSeconds ?? 0,
    coolOffSeconds: 0,
    nodePreference: "Stable",
    reclaimPolicy: resolvedClass?.reclaimPolicy ?? "Retain",
    paused: spec.paused ?? false,
    stop,
    dnsRecordSet: spec.dnsRecordSet,
    statuses: status.routedIP === undefined ? {} : { [canonicalIp(status.routedIP)]: addressStatus(status) },
    createdIPs: createdIPs(routed),
    pendingCreation: status.pendingCreation,
    writtenDns: status.dns,
    begunRecords: status.begunRecords,
    recordsCachedUntil: status.recordsCachedUntil,
    retryAt: status.retryAt,
  };
}

/** The address that the status says we created. */
export function createdIp({ status }: Pick<RoutedIP, "status">): string | undefined {
  return status.created === true && status.routedIP !== undefined ? canonicalIp(status.routedIP) : undefined;
}

/** When the operator created the address, at the latest: its state is no older. ms since the epoch. */
export function creationTimes(routed: RoutedIP): ReadonlyMap<string, number> {
  const [ip, at] = [createdIp(routed), timeOf(routed.status.since)];
  return new Map(ip === undefined || at === undefined ? [] : [[ip, at]]);
}

/** What the status says of the address. */
function addressStatus(status: RoutedIPStatus): AddressStatus {
  const { state, assignedNode: nodeName, providerID, error, since, graceSince, reason, actionID } = status;
  // In another state the time is that of the whole resource, and no reason for the address to wait.
  const retryAt = state === "error" || state === "disabled" ? status.retryAt : undefined;
  return omitUndefined({ state, nodeName, providerID, error, since, graceSince, reason, actionID, retryAt });
}

/** A created address counts as listed: it is not appended anywhere, and a gone one is not replaced behind one's back. */
function listedIps(routed: RoutedIP): readonly string[] {
  const { routedIP } = routed.spec;
  const replaced = routed.status.created === true ? undefined : supersededIp(routed);
  if (routedIP) return replaced === undefined ? [routedIP] : [routedIP, replaced];
  const created = createdIp(routed);
  return created === undefined ? [] : [created];
}

function createdIPs(routed: RoutedIP): readonly CreatedAddress[] {
  const ip = createdIp(routed);
  if (ip === undefined) return [];
  const { metadata, status } = routed;
  const inferred = status.inferred === true ? { inferred: true } : {};
  return [{ ip, createdTime: metadata.creationTimestamp ?? "", inSpec: true, ...inferred }];
}

/**
 * The address that the operator gave to the RoutedIP before the spec named another one; until it is forgotten, the status
 * is about it. One of another family is in another list of the account, and stays as it is.
 */
export function supersededIp({ spec, status }: Pick<RoutedIP, "spec" | "status">): string | undefined {
  const { routedIP: former, created, providerID, reason } = status;
  if (!spec.routedIP || former === undefined || reason === "ClaimedByOther") return undefined;
  const [ip, next] = [canonicalIp(former), canonicalIp(spec.routedIP)];
  if (ip === next || familyOf(ip) !== familyOf(next)) return undefined;
  return created === true || providerID !== undefined ? ip : undefined;
}

/** The machine that holds the address of the spec for this resource; else, the one that holds the replaced address. */
export function holderOf(placement: Placement | undefined, superseded: Placement | undefined) {
  // No read has shown it yet: until one does, its ports stay open where it was.
  const holder = placement?.certainty === "unread" ? placement.was.providerID : placement?.holder;
  return (isOfOther(placement) ? undefined : holder) ?? superseded?.holder;
}

export interface Replacing {
  /** Of the address that the spec names. */
  readonly next: Placement | undefined;
  /** It waits for a node, and only the node of the replaced one is left for it. */
  readonly needsNode: boolean;
}

/** A replaced address goes when the next one serves, or when that one needs its node. */
export function supersededChain(
  snapshot: Snapshot,
  placements: readonly Placement[],
  { next, needsNode }: Replacing,
): ActionChain {
  const { routed } = snapshot;
  const ip = supersededIp(routed);
  const placement = placements.find(({ address }) => address.ip === ip);
  if (placement === undefined || isUndecided(placement)) return [];
  const why = whyReplaced(routed, placement);
  if (isSurelyGone(snapshot, placement)) return forgetting(routed, placement, why);
  // The resource that has it now needs the permission to name it.
  if (isOfOther(placement)) return [...retaining(routed), ...forgetting(routed, placement, why)];
  if (next === undefined || !isServed(next)) return needsNode ? leaving(placement, why) : [];
  return removal(snapshot, placement, why);
}

function removal(snapshot: Snapshot, placement: Placement, why: string): ActionChain {
  const { routed } = snapshot;
  const { claim } = placement.address;
  if (nextOwner(claim) === undefined && isReleasable(snapshot, placement))
    return sharedChain(giveBack(snapshot, placement));
  const freed = createdIp(routed) === undefined ? [] : [...leaving(placement, why), ...retaining(routed)];
  return [...freed, ...passOn(snapshot.set, placement, why), ...forgetting(routed, placement, why)];
}

function whyReplaced({ spec }: RoutedIP, { address, certainty }: Placement): string {
  const end = nextOwner(address.claim) ?? (certainty === "gone" ? "gone" : undefined);
  return WHYS.replaced(address.ip, spec.routedIP, end);
}

function leaving(placement: Placement, why: string): ActionChain {
  const from = ownHolder(placement);
  return from === undefined ? [] : [{ do: "unassign", ip: placement.address.ip, from, why }];
}

function forgetting(routed: RoutedIP, { address: { ip } }: Placement, why: string): ActionChain {
  return [...withoutCopy(routed, ip, why), { do: "forget-created", ip, why }];
}

function nextOwner(claim: Placement["address"]["claim"]) {
  return claim?.ours === false ? claim.owned.owner : claim?.askedBy;
}

/** The address would otherwise still count as one of the RoutedIP, and no resource could use or release it. */
function withoutCopy({ metadata }: RoutedIP, ip: string, why: string): ActionChain {
  const copied = annotatedIps({ metadata });
  if (!copied.includes(ip)) return [];
  const value = copied.filter((each) => each !== ip).join(",") || undefined;
  return [{ do: "annotate-pool", value, why }];
}

/** It has to be read, or its action has to end first. */
function isUndecided({ certainty }: Placement): boolean {
  return certainty === "unread" || certainty === "doubted" || certainty === "moving";
}

/** A machine of this cluster, where no other resource has put it. */
function ownHolder({ address, holder, verdict }: Placement) {
  return address.claim?.ours === true && verdict !== undefined ? holder : undefined;
}

/** Only what an answer said was created: an inferred address may be another party's. */
export function retaining(routed: RoutedIP): readonly RetainAction[] {
  const ip = createdIp(routed);
  if (ip === undefined || routed.status.inferred === true) return [];
  const retained = { address: { ip, namespace: routed.metadata.namespace ?? "" } };
  return [{ do: "record-retained", retained, why: "RoutedIPs of its namespace may use the address again" }];
}

export const CREATION_FIELDS: CreationFields<RoutedIPStatus> = {
  // It creates nothing more while it has an address that it created.
  createdTimes: ({ created }) => (created === true ? [LAST] : []),
  isOnRecord: ({ created, inferred, routedIP }, facts) => {
    if (created !== true || routedIP === undefined || canonicalIp(routedIP) !== facts.ip) return false;
    return facts.inferred !== true || inferred === true;
  },
  added: ({ routedIP }, { ip, inferred, status: { nodeName: assignedNode, ...entry } }) => {
    const same = routedIP !== undefined && canonicalIp(routedIP) === ip;
    const placed = same ? {} : { ...entry, ...omitUndefined({ assignedNode }) };
    return { ...placed, routedIP: ip, created: true, ...(inferred === true ? { inferred } : {}) };
  },
  removed: () => ({ created: undefined, routedIP: undefined }),
  mark: "status.inferred",
};

const LAST = "9999-12-31T23:59:59Z";

/** The RoutedIP with the facts about its creation that the status lacks. */
export function withResult(read: RoutedRead, result: CreationResult | undefined): RoutedRead {
  const { routed } = read;
  const status = knownStatus(CREATION_FIELDS, routed, result);
  return status === routed.status ? read : { ...read, routed: { ...routed, status } };
}
