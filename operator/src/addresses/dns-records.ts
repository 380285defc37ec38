/** The record set of a set of addresses: which of them it publishes, its chain of actions, and the steps of that chain. Pure. */

import { type IpFamily, MOST_BEGUN_RECORDS } from "cdk8s-flipop/api";
import { isOnlyCordoned } from "../match/checks.js";
import { claimMessages } from "../messages/claims.js";
import type { Problem } from "../messages/message.js";
import type { RecordType } from "../providers/types.js";
import type { Action, Chain, SequenceStep } from "../reconcile/plan.js";
import { setsToDelete } from "../records/begun-records.js";
import { foreignValues } from "../records/foreign-values.js";
import type { RecordChain } from "../records/record-actions.js";
import { recordRetryKey } from "../records/record-equality.js";
import { recordChain as chainOf, fullNameOf, recorded, removalChain } from "../records/record-plan.js";
import { ttlOf } from "../records/resolver-caches.js";
import { RECORDS } from "./actions.js";
import type { AddressMemory, AddressSnapshot } from "./address-set.js";
import { dnsProviderOf } from "./desired-addresses.js";
import { isOurs, isServed, type Placement } from "./placements.js";

/** What a decision about the record set of a set of addresses reads. */
export interface RecordsSnapshot extends Pick<AddressSnapshot, "set" | "now" | "dns"> {
  readonly memory: Pick<AddressMemory, "reverts">;
}

/** One chain: the new set, then the end of the former one, then the status. */
export function recordChain(snapshot: RecordsSnapshot, values: readonly string[], family: IpFamily): RecordChain {
  const { dns, set } = snapshot;
  const wanted = set.dnsRecordSet;
  if (wanted === undefined) return forgotten(snapshot);
  if (dns === undefined) return [];
  return chainOf({
    ...desiredOf(snapshot, family),
    dns,
    wanted,
    values,
    ttl: ttlOf(dns, wanted),
    owner: ownerOf(snapshot),
  });
}

/** What fails on a name says nothing about another one. */
export function retryKeyOf({ dnsRecordSet, ...set }: RecordsSnapshot["set"], lockKey: string): string {
  if (lockKey !== RECORDS || dnsRecordSet === undefined) return lockKey;
  return recordRetryKey({ ...dnsRecordSet, provider: dnsProviderOf({ ...set, dnsRecordSet }) });
}

/**
 * One step, or two: what fails on a name that the spec no longer has holds up no change of the wanted one.
 * @param retryKey of the wanted name
 */
export function stepsByName<A extends Action>(chain: Chain<A>, retryKey: string): readonly SequenceStep<A>[] {
  const at = chain.findIndex((action) => "which" in action && action.which !== "current");
  if (at < 0) return [{ retryKey, actions: chain }];
  const ofWanted = chain.slice(0, at);
  // A note before the first call about another name belongs to that call.
  if (ofWanted.every((action) => action.do === "record-dns")) return [{ retryKey: OTHER_NAMES, actions: chain }];
  return [
    { name: "wanted name", retryKey, actions: ofWanted },
    { retryKey: OTHER_NAMES, reliesOn: ["wanted name"], actions: chain.slice(at) },
  ];
}

const OTHER_NAMES = "other names";

/** What the record set holds that the resource may neither count as its own nor replace. */
export function foreignRecords(snapshot: RecordsSnapshot, values: readonly string[]): readonly string[] {
  const { dns, set } = snapshot;
  if (dns === undefined || set.dnsRecordSet === undefined) return [];
  return foreignValues({ ...desiredOf(snapshot, set.family), dns, wanted: set.dnsRecordSet }, values);
}

/** Another resource owns the DNS name. */
export function lostName({ dns, set }: Pick<AddressSnapshot, "dns" | "set">): Problem | undefined {
  if (dns?.claim?.ours !== false) return undefined;
  const name = fullNameOf(dns, set.dnsRecordSet ?? set.writtenDns);
  return claimMessages.name({ name, ...dns.claim.owned });
}

interface Publishing {
  /** Addresses that go to a node now. */
  readonly moving: ReadonlySet<string>;
  /** Addresses that serve in the place of wanted ones. @default none */
  readonly standIns?: readonly Placement[];
}

/**
 * Addresses to publish: those that are served, those on their way that were published before, and stand-ins for the others.
 * If none of these is served, those on cordoned nodes.
 */
export function publishedOf(
  snapshot: AddressSnapshot,
  placements: readonly Placement[],
  { moving, standIns = [] }: Publishing,
) {
  const before = new Set(snapshot.set.writtenDns?.values);
  // No read has shown an unread one yet: that is no reason to take it out.
  const onTheWay = (placement: Placement) =>
    (placement.certainty === "moving" && !isStuck(placement)) ||
    placement.certainty === "unread" ||
    moving.has(placement.address.ip);
  const wanted = placements.filter((placement) => placement.address.wanted && isOurs(placement));
  const published = wanted.filter((placement) => {
    return isServed(placement) || (onTheWay(placement) && before.has(placement.address.ip));
  });
  const serving = wanted.filter(isServed).length;
  const used = standIns.slice(0, wanted.length - serving);
  if (serving + used.length > 0) return ipsOf([...published, ...used]);
  // Cordoned nodes still serve, and nothing better exists. With none of them the set is left alone, so that the move of
  // the only address does not touch it.
  const cordoned = placements.filter(isOnCordoned);
  const isLeft = cordoned.length === 0 && !published.some(isActiveUnread);
  return isLeft ? [] : ipsOf([...new Set([...published, ...cordoned])]);
}

/** The status has it as active, and counts it as such until a read says otherwise. */
function isActiveUnread({ certainty, was }: Placement): boolean {
  return certainty === "unread" && was.state === "active";
}

/** No action of ours moves it: it is locked by another party, or longer than an own action takes, on a holder that is given up. */
function isStuck({ action, facts, grace }: Placement): boolean {
  const isKept = grace?.state === "matches" || grace?.state === "protected";
  // A call of ours that has no answer yet has no id either, but no read has shown a lock.
  return action !== undefined && action.id === undefined && facts?.lockedSeconds !== undefined && !isKept;
}

export function isOnCordoned(placement: Placement): boolean {
  const { address, certainty, verdict } = placement;
  const stays = certainty === "seen" || certainty === "doubted";
  return stays && address.wanted && isOurs(placement) && verdict !== undefined && isOnlyCordoned(verdict);
}

function ipsOf(placements: readonly Placement[]): readonly string[] {
  return placements.map(({ address }) => address.ip).sort();
}

/** Deletes the set that was last written, for a resource that goes. */
export function recordRemoval(snapshot: RecordsSnapshot): RecordChain {
  const { dns, set } = snapshot;
  if (set.dnsRecordSet === undefined) return forgotten(snapshot);
  if (dns === undefined) return [];
  return removalChain({ ...desiredOf(snapshot, set.family), dns, wanted: set.dnsRecordSet });
}

function desiredOf({ set, now, memory }: RecordsSnapshot, family: IpFamily) {
  const types: readonly RecordType[] = [family === "IPv6" ? "AAAA" : "A"];
  return {
    now,
    reverts: memory.reverts.get("records"),
    provider: dnsProviderOf(set),
    last: set.writtenDns,
    begun: set.begunRecords,
    types: { asked: types, ours: types },
  };
}

function ownerOf({ set: { metadata } }: RecordsSnapshot): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** Without a record set in the spec: what was written under Delete goes one by one, and the rest stays. */
function forgotten(snapshot: RecordsSnapshot): RecordChain {
  const { set, dns } = snapshot;
  const { writtenDns: last, begunRecords = [] } = set;
  const going = setsToDelete({ dns: last, begunRecords });
  const isListed = last === undefined && going.length === begunRecords.length;
  if (!isListed && going.length <= MOST_BEGUN_RECORDS) {
    const staying = begunRecords.filter((entry) => !going.includes(entry));
    const notes = staying.map((left, index) => {
      const begun = begunRecords.filter((entry) => !staying.slice(0, index + 1).includes(entry));
      return { ...recorded(last, GONE_STAY, left), begun };
    });
    if (last === undefined) return notes;
    const end = recorded(
      undefined,
      going.length > 0 ? GONE_DELETE : GONE_STAY,
      going.includes(last) ? undefined : last,
    );
    return [...notes, going.length + begunRecords.length === 0 ? end : { ...end, begun: going }];
  }
  if (dns === undefined) return [];
  return removalChain({ ...desiredOf(snapshot, set.family), dns, wanted: undefined });
}

const GONE_STAY = "spec.dnsRecordSet is gone; the records stay";
const GONE_DELETE = "spec.dnsRecordSet is gone; its records are to be deleted";
