/**
 * The release of created addresses that are no longer wanted; and the parts of a cleanup that are not done yet, or that
 * the operator leaves to people.
 */

import { canonicalIp, type PendingCreation } from "cdk8s-flipop/api";
import { WHYS } from "../messages/action-reasons.js";
import { refText } from "../messages/claims.js";
import { eventMessages } from "../messages/events.js";
import type { EventMessage } from "../messages/message.js";
import type { Deletion, SequenceStep } from "../reconcile/plan.js";
import { setsToDelete } from "../records/begun-records.js";
import { FORGET_AFTER_MS, MINUTE_MS } from "../timings.js";
import { listed, omitUndefined } from "../values.js";
import { type Action, type ActionChain, type ForgetAction, lockKeyOf } from "./actions.js";
import { type AddressMemory, type AddressSet, type AddressSnapshot, isDeleting } from "./address-set.js";
import type { Outcome } from "./call-outcomes.js";
import { backup } from "./creation/created-backup.js";
import { settle } from "./creation/creation-recovery.js";
import type { Placement } from "./placements.js";
import {
  drainedAt,
  drainSeconds,
  drainUntil,
  heldByFormerName,
  publishedByOthers,
  publisherOf,
} from "./releases/dns-drain.js";
import { entryOf, passOn } from "./releases/heirs.js";
import {
  askedBy,
  heldByMark,
  isBequeathed,
  isCertain,
  isReleasable,
  isUnwanted,
  markedFor,
} from "./releases/releasable.js";

/** A chain for each created address, empty unless it is released, and one for all that are forgotten: gone, or handed over. */
export function releaseChains(snapshot: AddressSnapshot, placements: readonly Placement[]): readonly ActionChain[] {
  const created = placements.filter(({ address }) => address.origin === "created");
  const gone = created.filter((placement) => isGivenUp(snapshot, placement) && isSurelyGone(snapshot, placement));
  const handedOver = created.filter((placement) => isHandedOver(snapshot, placement));
  const back = created.map((placement) => giveBack(snapshot, placement));
  return [...back, forget(snapshot, placements, [...gone, ...handedOver])];
}

/** One that is to be released would cost money for ever if a wrong answer of the provider made the operator forget it. */
export function isSurelyGone(snapshot: AddressSnapshot, placement: Placement): boolean {
  if (placement.certainty !== "gone") return false;
  return !isReleasable(snapshot, placement) || snapshot.inventory.isGone(placement.address.ip, FORGET_AFTER_MS);
}

/** Another resource lists it, and gets it instead: a release would take the address from that one. */
function isHandedOver(snapshot: AddressSnapshot, placement: Placement): boolean {
  if (placement.certainty !== "seen") return false;
  // The owner may pass it on to a set that lists it, at this moment: one of the two keeps the entry.
  if (hasTakenOver(placement)) return !placement.address.inSpec || isDeleting(snapshot.set);
  if (askedBy(placement) === undefined) return false;
  const { set } = snapshot;
  if (isDeleting(set) && isBequeathed(set, placement.address)) return true;
  return isReleasable(snapshot, placement) || isTakenOut(snapshot, placement);
}

/** An operator that ended in between has left the entry here. */
function hasTakenOver({ address: { claim } }: Placement): boolean {
  return claim?.ours === false && claim.owned.basis === "created";
}

/** Whatever the policy: a person has taken it out of the list, and the set has enough without it. */
function isTakenOut({ set }: AddressSnapshot, { address, facts }: Placement): boolean {
  const isSpare = address.origin === "created" && !address.wanted && !address.inSpec && !isDeleting(set);
  return (
    isSpare && address.claim?.ours === true && facts?.borrowed !== true && entryOf(set, address.ip)?.inSpec === true
  );
}

/** A resource that the operator has not read yet may list it. */
function mayBeAsked({ address: { claim } }: Placement): boolean {
  return claim?.ours === true && claim.unread === true;
}

function mayServeOther(placement: Placement): boolean {
  return mayBeAsked(placement) || markedFor(placement) !== undefined;
}

/** It is released as soon as all resources that may list it have been read. */
export function waitsForReading(snapshot: AddressSnapshot, placement: Placement): boolean {
  return mayBeAsked(placement) && isReleasable(snapshot, placement) && placement.certainty !== "gone";
}

/** It would be released, if an answer had said that it is ours. */
export function isHeldBack(snapshot: AddressSnapshot, placement: Placement): boolean {
  return !isCertain(placement.address) && placement.certainty !== "gone" && isUnwanted(snapshot, placement);
}

/** For the conditions. */
export function unreleasedOf(snapshot: AddressSnapshot, placements: readonly Placement[]) {
  const ipsOf = (isLeft: typeof isHeldBack) =>
    placements.filter((placement) => isLeft(snapshot, placement)).map(({ address }) => address.ip);
  const [published, former] = [publishedByOthers(snapshot, placements), heldByFormerName(snapshot, placements)];
  return {
    heldBack: ipsOf(isHeldBack),
    unread: ipsOf(waitsForReading),
    ...omitUndefined({ stillUsed: published ?? former ?? heldByMark(snapshot, placements) }),
  };
}

export function giveBack(snapshot: AddressSnapshot, placement: Placement): ActionChain {
  const { address, holder, certainty } = placement;
  if (!isReleasable(snapshot, placement) || certainty !== "seen" || askedBy(placement) !== undefined) return [];
  if (mayServeOther(placement)) return [];
  const at = drainedAt(snapshot, placement);
  if (at === undefined || at > snapshot.now) return [];
  const why = WHYS.unwanted;
  const { ip } = address;
  return [
    // First: an entry that stays behind its address would take the place of one that is there.
    ...(address.inSpec && !isDeleting(snapshot.set) ? [{ do: "drop-from-spec", ip, why } as const] : []),
    ...(holder === undefined ? [] : [{ do: "unassign", ip, from: holder, why } as const]),
    { do: "release", ip, why },
  ];
}

/**
 * One that does not exist any more. A wanted one keeps its place (a token of the wrong account would else create all
 * anew) until somebody takes it out of `spec.ips`.
 */
function isGivenUp({ set }: AddressSnapshot, { address }: Placement): boolean {
  const entry = entryOf(set, address.ip);
  return !address.wanted || isDeleting(set) || (entry?.inSpec === true && !address.inSpec);
}

/**
 * Into the status of the heir, out of the spec, then out of the backup copy, and only then out of `createdIPs`: what stood in
 * one of those alone would count as an address of the set, in the place of one that is there. One address after the other: what
 * one waits for holds up no other.
 */
function forget(
  { set, memory }: AddressSnapshot,
  placements: readonly Placement[],
  forgotten: readonly Placement[],
): ActionChain {
  return forgotten.flatMap((placement, index): ActionChain => {
    const left = placements
      .filter((each) => !forgotten.slice(0, index + 1).includes(each))
      .map(({ address }) => address);
    const { ip, inSpec } = placement.address;
    const [why, entry] = [whyForgotten(set, placement), entryOf(set, ip)];
    if (entry === undefined) return [];
    return [
      ...(placement.certainty === "gone" ? [] : passOn(set, placement, why)),
      ...(inSpec && !isDeleting(set) ? [{ do: "drop-from-spec", ip, why } as const] : []),
      ...backup(set, left).flat(),
      { do: "forget-created", ip: entry.ip, why, ...goneOf(set, placement, memory) },
    ];
  });
}

/** Each address that is forgotten is a step of its own. `undefined`: the chain forgets none. */
export function stepsByEntry(chain: ActionChain): readonly SequenceStep<Action>[] | undefined {
  const ends = chain.flatMap((action, index) => (action.do === "forget-created" ? [index + 1] : []));
  if (ends.length === 0) return undefined;
  return ends.map((end, index) => {
    const actions = chain.slice(ends[index - 1] ?? 0, end);
    return { retryKey: lockKeyOf(actions.slice(-1)), actions };
  });
}

function whyForgotten(set: AddressSet, placement: Placement): string {
  const heir = heirOf(placement);
  const { ip, wanted } = placement.address;
  if (placement.certainty === "gone" || heir === undefined) return "the address does not exist any more";
  if (wanted || isDeleting(set) || hasTakenOver(placement))
    return `${ip} belongs to ${refText(heir)} from now on, which lists it`;
  return `${ip} is no longer wanted, and ${refText(heir)} lists it`;
}

function heirOf(placement: Placement) {
  const { claim } = placement.address;
  return claim?.ours === false ? claim.owned.owner : askedBy(placement);
}

/** Under Delete, the operator released it. */
function goneOf({ reclaimPolicy }: AddressSet, { certainty, address: { ip } }: Placement, memory: AddressMemory) {
  if (certainty !== "gone") return {};
  if (reclaimPolicy !== "Delete") return { gone: "vanished" } as const;
  return { gone: memory.released?.has(ip) === true ? "released" : "unanswered" } as const;
}

/** The Event of an answered release is the only one of the address. @param released until it is forgotten */
export function noteRelease(
  released: Set<string>,
  { action, outcome }: { readonly action: { readonly do: string; readonly ip?: string }; readonly outcome: Outcome },
): void {
  const { do: verb, ip } = action;
  if (outcome.is !== "done" || ip === undefined) return;
  if (verb === "release") released.add(canonicalIp(ip));
  if (verb === "forget-created") released.delete(canonicalIp(ip));
}

/** The Event of a forgotten entry. A release that was answered has had its own. */
export function entryRemoved({ ip, why, gone }: ForgetAction): EventMessage | undefined {
  if (gone === "released") return undefined;
  if (gone === "unanswered") return eventMessages.releasedUnanswered({ ip });
  return gone === "vanished" ? eventMessages.vanished({ ip }) : eventMessages.disowned({ why });
}

/** @param kept what is not released, since it may belong to somebody else */
export function whyOver(left: readonly string[], kept: readonly string[]): string {
  if (left.length > 0) return WHYS.cleanupLate;
  return kept.length === 0 ? WHYS.cleanedUp : WHYS.cleanupDisputed;
}

/** Descriptions of the addresses that stay though the policy is Delete: no answer shows that they are ours. */
export function keptBack(snapshot: AddressSnapshot, placements: readonly Placement[]): readonly string[] {
  if (snapshot.set.reclaimPolicy !== "Delete") return [];
  const { pendingCreation: intent } = snapshot.set;
  const inferred = placements.filter((placement) => isHeldBack(snapshot, placement));
  return [...inferred.map(({ address }) => `address ${address.ip}`), ...undecided(snapshot, intent)];
}

/** @param left in words, with what the kind itself has to remove */
export function deletionOf(
  snapshot: AddressSnapshot,
  placements: readonly Placement[],
  left: readonly string[],
): Deletion {
  const { now, problem, providerFailure, inventory, dns } = snapshot;
  // Once the account has been read, a mistake in the spec keeps no cleanup.
  const cause =
    (inventory.complete ? undefined : problem) ??
    providerFailure ??
    dns?.failure ??
    publishedByOthers(snapshot, placements) ??
    heldByMark(snapshot, placements);
  const ends = placements.flatMap((placement) => drainUntil(snapshot, placement) ?? []).filter((at) => at > now);
  if (ends.length === 0) return { left, ...omitUndefined({ cause }) };
  const until = Math.max(...ends);
  return { left, until, ...omitUndefined({ cause, ttl: drainSeconds(snapshot, until) }) };
}

/** In words; empty: all is cleaned up. */
export function abandonedItems(snapshot: AddressSnapshot, placements: readonly Placement[]): readonly string[] {
  const { reclaimPolicy, dnsRecordSet, pendingCreation, writtenDns, begunRecords } = snapshot.set;
  const addresses = placements.filter(({ address }) => isCertain(address)).filter(isClaimed);
  const goes = (placement: Placement) =>
    reclaimPolicy === "Delete" || (isBequeathed(snapshot.set, placement.address) && placement.certainty !== "gone");
  const kept = addresses.filter(goes).map((placement) => leftAddress(snapshot, placement));
  const intent = reclaimPolicy === "Delete" ? pendingCreation : undefined;
  const open = intent !== undefined && undecided(snapshot, intent).length === 0;
  const records = setsToDelete({ dnsRecordSet, dns: writtenDns, begunRecords });
  return [
    ...kept,
    ...(open ? [`the address of the creation of ${intent.startedAt}, if there is one`] : []),
    ...records.map(({ recordName, zone }) => `record set ${recordName} in zone ${zone}`),
  ];
}

function leftAddress(snapshot: AddressSnapshot, placement: Placement): string {
  const { address, certainty } = placement;
  const publisher = publisherOf(snapshot, placement);
  const missing = `, which the account does not have now: it counts as gone after ${FORGET_AFTER_MS / MINUTE_MS} minutes`;
  const published = publisher === undefined ? "" : `, which ${refText(publisher)} publishes`;
  return `address ${address.ip}${certainty === "gone" ? missing : published}`;
}

/** The lists can say no more of these. */
function undecided(snapshot: AddressSnapshot, intent: PendingCreation | undefined): readonly string[] {
  const end = intent === undefined ? undefined : endOf(snapshot, intent);
  if (intent === undefined || end === undefined) return [];
  const what = `the address of the creation of ${intent.startedAt}`;
  if (end.is === "several") return [`${what}, which may be one of ${listed(end.ips)}`];
  return end.is === "elsewhere" ? [`${what} at provider "${intent.provider}", if there is one`] : [];
}

function endOf(snapshot: AddressSnapshot, intent: PendingCreation) {
  return snapshot.inventory.complete && snapshot.creating !== true ? settle(snapshot, intent) : undefined;
}

function isClaimed({ address, facts }: Placement): boolean {
  return address.claim?.ours !== false && facts?.borrowed !== true;
}
