/**
 * From the observed record set to the desired one: one sequence of actions for a plan. Pure, and the same for all kinds.
 */

import { type DnsRecordSet, type DnsStatus, normalRecordName } from "cdk8s-flipop/api";
import { undonePauseUntil } from "../addresses/undone-writes.js";
import { CONTESTED_RECORDS_MAX_AGE_MS } from "../bounds.js";
import type { Claim } from "../claims/claims.js";
import type { Problem } from "../messages/message.js";
import { DEFAULT_TTL_SECONDS, planRecordChanges, planRemoval, typeOf } from "../providers/diff.js";
import type { LimitWait } from "../providers/layers/limiter.js";
import type { DnsCapabilities, RecordChangeSet, RecordType } from "../providers/types.js";
import { isDue } from "../reconcile/retries.js";
import { isUndecidedName } from "../routing/access.js";
import { listed } from "../values.js";
import type { Records } from "./cached-record-set.js";
import { replacing, undone } from "./changed-by-others.js";
import type { NameRemarks } from "./name-remarks.js";
import { isSameName, mayBeSameSet } from "./same-name.js";

export interface Reasoned {
  /** For people; completes "... because". */
  readonly why: string;
}

/** `previous`: the one that `status.dns` names, where it is not, or not wholly, the one that the spec names. */
export type WhichRecords = "current" | "previous";

export type DnsAction =
  /** The set has to be read, then plan again. */
  | (Reasoned & { readonly do: "read-records"; readonly which: WhichRecords })
  | (Reasoned & {
      readonly do: "apply-records";
      readonly which: WhichRecords;
      readonly provider: string;
      readonly changes: RecordChangeSet;
      /** Who made the change necessary, if not the resource; for its Event. */
      readonly cause?: string;
      /** Values that it replaces, and that the status does not show as written by the operator. */
      readonly replaced?: readonly string[];
    });

/** `status.dns`; `undefined` removes it. */
export type RecordDns = Reasoned & {
  readonly do: "record-dns";
  readonly written: DnsStatus | undefined;
  /** The former record set, which stays at its provider although the resource no longer follows it; for an Event. */
  readonly left?: DnsStatus;
};

/** One after the other. */
export type RecordSequence = readonly (DnsAction | RecordDns)[];

export interface DnsSnapshot {
  /** Of the provider that the spec names; absent: it is unknown or has no DNS. */
  readonly capabilities?: DnsCapabilities;
  /** The full name that the spec names. Absent: it names none. */
  readonly fqdn?: string;
  /** On the name that the spec names. Absent: there is none, or it is undecided. */
  readonly claim?: Claim;
  /** The set that the spec names. */
  readonly records: Records;
  /** What `status.dns` names and the spec does not (any more). */
  readonly previous: { readonly records: Records; readonly claim?: Claim };
  /** Why the resource may not have the name: nothing is written there. */
  readonly refused?: Problem;
  /** The limits do not allow the name any more, but the operator has written it for the resource. */
  readonly kept?: Problem;
  /** `false`: records that were not written for the resource stay. @default true */
  readonly adopts?: boolean;
  /** The class or issuer that does not let the operator replace them, by kind and name. */
  readonly adopter?: string;
  /** The last call to the DNS provider failed. */
  readonly failure?: Problem;
  /** ms since the epoch: no call before. */
  readonly retryAt?: number;
  /** Calls to the DNS provider wait long for its limits. */
  readonly longWait?: LimitWait;
  /** Of the set that the spec names. Absent: there is none. */
  readonly remarks?: NameRemarks;
  /** ms since the epoch: when `records` were read. */
  readonly readAt?: number;
  /** ms since the epoch: when `records` becomes unknown, or what blocks the name may be gone: it has to be read again. */
  readonly readAgainAt?: number;
}

export interface DesiredRecords {
  /** Wall clock, ms since the epoch. */
  readonly now: number;
  readonly dns: DnsSnapshot;
  /** See `RecordSetView.reverts`. */
  readonly reverts: readonly number[] | undefined;
  readonly wanted: DnsRecordSet;
  /** Provider of the records. */
  readonly provider: string;
  /** As the status has it. */
  readonly last: DnsStatus | undefined;
  /** Types that the spec asks for, and those of them that no other resource has. */
  readonly types: { readonly asked: readonly RecordType[]; readonly ours: readonly RecordType[] };
  /** Canonical addresses, sorted. None: the set is left as it is. */
  readonly values: readonly string[];
  /** No address is left, and the resource asks for an empty set then. */
  readonly empty?: boolean;
  /** Seconds, as the provider takes it; `keep`: that of existing records stays. */
  readonly ttl: number | "keep";
  /** Written beside each record where the provider can. */
  readonly owner: string;
}

/** `wanted` may be gone, or not be readable: what was written is known all the same. */
interface RecordRemoval extends Pick<DesiredRecords, "now" | "dns" | "provider" | "last" | "types"> {
  readonly wanted: DnsRecordSet | undefined;
}

/** The new set, then the end of the former one, then the status. */
export function recordChain(desired: DesiredRecords): RecordSequence {
  const { dns, last, types } = desired;
  if (dns.claim?.ours === false)
    return isDesired(last, desired) ? [recorded(undefined, "another resource owns the DNS name")] : [];
  const values = desired.values.filter((value) => types.ours.includes(typeOf(value)));
  if (!mayWrite(desired, values)) return [...zoneRead(desired), ...blockedRead(desired, values)];
  if (values.length === 0 && desired.empty !== true) return afterFailure(dns);
  const written = statusOf(desired, values);
  const change = changeTo(desired, written);
  if (change === "unread") return [{ do: "read-records", which: "current", why: "its content is unknown" }];
  const previous = previousRemoval(desired);
  if (previous.some(isRead)) return [...change, ...previous];
  const left = leftBehind(desired);
  const record = isSame(last, written) ? [] : [recorded(written, "this is what the record set holds now", left)];
  return [...begun(desired, change, written), ...change, ...previous, ...record];
}

/** Whatever the record set holds after a first change that fails half-way is ours: a deletion has to remove it. */
function begun(desired: DesiredRecords, change: RecordSequence, written: DnsStatus): RecordSequence {
  if (change.length === 0 || !isEmptyAndNew(desired)) return [];
  return [recorded({ ...written, values: [] }, "the record set is empty before the first change")];
}

function isEmptyAndNew({ dns, last, types }: DesiredRecords): boolean {
  if (last !== undefined || dns.adopts === false || dns.records === "unknown") return false;
  return !dns.records.records.some(({ type }) => types.asked.includes(type));
}

/**
 * Values of records that keep the resource from writing, because it may not adopt them. A set that it has written before is
 * its own, and so is one that already holds what it wants.
 */
export function foreignValues(
  { dns, last, wanted, provider, types }: Pick<DesiredRecords, "dns" | "last" | "provider" | "types" | "wanted">,
  values: readonly string[],
): readonly string[] {
  if (dns.adopts !== false || dns.records === "unknown" || isDesired(last, { provider, wanted })) return [];
  const known = [...values, ...(last?.values ?? [])];
  const present = dns.records.records.filter(({ type }) => types.asked.includes(type));
  return present.map(({ value }) => value).filter((value) => !known.includes(value));
}

/** Deletes what was last written, for a resource that goes. */
export function removalChain(desired: RecordRemoval): RecordSequence {
  const { dns, last } = desired;
  if (last === undefined) return [];
  const forget = recorded(undefined, "the resource is being deleted");
  const named = isDesired(last, desired);
  if ((named ? dns.claim : dns.previous.claim)?.ours === false) return [forget];
  if (!isDue(dns.retryAt, desired.now)) return [];
  const current = named ? removalOf(ofTypes(dns.records, last.types), "current", last) : [];
  const previous = isWhollyCurrent(last, desired) ? [] : removalOf(dns.previous.records, "previous", last);
  const removal = [...current, ...previous];
  return removal.some(isRead) ? removal : [...removal, forget];
}

/** The TTL that is written, seconds. */
export function ttlOf(
  dns: Pick<DnsSnapshot, "capabilities"> | undefined,
  wanted: Pick<DnsRecordSet, "ttl"> | undefined,
): number {
  const asked = wanted?.ttl || DEFAULT_TTL_SECONDS;
  return dns?.capabilities?.ttl(asked) ?? asked;
}

/** As people know it, such as "www.example.com". */
export function fullNameOf(
  dns: Pick<DnsSnapshot, "fqdn"> | undefined,
  { zone = "", recordName = "" }: { readonly zone?: string; readonly recordName?: string } = {},
): string {
  return dns?.fqdn ?? normalRecordName({ recordName, zone }).fqdn;
}

/** The first read shows the domain of a zone that the spec names by an id. */
function zoneRead({ dns, now }: DesiredRecords): RecordSequence {
  const { records, capabilities, claim, retryAt, refused } = dns;
  if (!isUndecidedName(refused)) return [];
  if (records !== "unknown" || capabilities === undefined || claim?.ours !== true || !isDue(retryAt, now)) return [];
  return [{ do: "read-records", which: "current", why: "the domain of its zone is unknown" }];
}

/** Whoever deletes a record that is in the way need not wait for the drift interval. */
function blockedRead(desired: DesiredRecords, values: readonly string[]): RecordSequence {
  const { dns, now } = desired;
  const readAt = blockedReadAt(dns, desired);
  if (values.length === 0 || readAt === undefined || readAt > now) return [];
  if (!mayWrite({ ...desired, dns: { ...dns, adopts: true } }, values)) return [];
  return [{ do: "read-records", which: "current", why: "records of others keep the resource from its name" }];
}

/** When to look again whether the name is free, ms since the epoch. `undefined`: the resource has the name, or may take it. */
export function blockedReadAt(
  { adopts, readAt }: Pick<DnsSnapshot, "adopts" | "readAt">,
  { last, ...named }: Pick<DesiredRecords, "last" | "provider"> & Pick<RecordRemoval, "wanted">,
): number | undefined {
  if (adopts !== false || readAt === undefined || isDesired(last, named)) return undefined;
  return readAt + CONTESTED_RECORDS_MAX_AGE_MS;
}

/** Nothing is to be written: one more read shows whether the failure is over. */
function afterFailure({ failure, records }: DnsSnapshot): RecordSequence {
  if (failure === undefined || records !== "unknown") return [];
  return [{ do: "read-records", which: "current", why: "the last call failed" }];
}

function mayWrite(desired: DesiredRecords, values: readonly string[]): boolean {
  const { dns, reverts, now } = desired;
  const { capabilities, claim, retryAt, refused } = dns;
  if (refused !== undefined || foreignValues(desired, values).length > 0) return false;
  if (capabilities === undefined || claim?.ours !== true || !isDue(retryAt, now)) return false;
  return undonePauseUntil(reverts, now) === undefined;
}

function changeTo({ dns, ttl, owner, last }: DesiredRecords, written: DnsStatus): RecordSequence | "unread" {
  if (dns.records === "unknown") return "unread";
  const { values, recordName, provider } = written;
  const wanted = { values, ttl, owner };
  const changes = values.length === 0 ? planRemoval(dns.records) : planRecordChanges(dns.records, wanted);
  if (changes.steps.length === 0) return [];
  const why = `${recordName} should hold ${values.length === 0 ? "nothing" : listed(values)}`;
  const origin = isSame(last, written) ? undone(changes) : replacing(changes, last, written);
  return [{ do: "apply-records", which: "current", provider, changes, why, ...origin }];
}

/** A renamed set, or a type that is not asked for any more, goes once the new set stands. */
function previousRemoval(desired: DesiredRecords): RecordSequence {
  const { dns, last, wanted, types } = desired;
  if (last === undefined || wanted.deletionPolicy !== "Delete" || dns.previous.claim?.ours === false) return [];
  return isWhollyCurrent(last, desired) ? [] : removalOf(strangersOnly(dns, types.asked), "previous", last);
}

/** What the former name still holds, where nothing is to delete it. */
function leftBehind({ dns, last, wanted, provider }: DesiredRecords): DnsStatus | undefined {
  if (last === undefined || last.values.length === 0 || wanted.deletionPolicy === "Delete") return undefined;
  const isOthers = dns.previous.claim?.ours === false;
  return isOthers || mayBeSameSet(last, { ...wanted, provider }) ? undefined : last;
}

/** One zone has two names, its domain and its id: what looks renamed may be the set that has just been written. */
function strangersOnly({ records, previous }: DnsSnapshot, asked: readonly RecordType[]): Records {
  const known = previous.records;
  if (known === "unknown" || records === "unknown") return known;
  if (known.zone !== records.zone || known.fqdn !== records.fqdn) return known;
  return { ...known, records: known.records.filter(({ type }) => !asked.includes(type)) };
}

/** The part of the reading that was ours. */
function ofTypes(records: Records, types: readonly RecordType[]): Records {
  if (records === "unknown") return records;
  return { ...records, records: records.records.filter(({ type }) => types.includes(type)) };
}

function removalOf(records: Records, which: WhichRecords, { recordName, provider }: DnsStatus): readonly DnsAction[] {
  if (records === "unknown") return [{ do: "read-records", which, why: `${recordName} is to be deleted` }];
  const changes = planRemoval(records);
  if (changes.steps.length === 0) return [];
  return [{ do: "apply-records", which, provider, changes, why: `${recordName} is not wanted any more` }];
}

function statusOf({ provider, wanted, types }: DesiredRecords, values: readonly string[]): DnsStatus {
  return { provider, zone: wanted.zone, recordName: wanted.recordName, types: types.ours, values };
}

/** @param left see `RecordDns.left` */
export function recorded(written: DnsStatus | undefined, why: string, left?: DnsStatus): RecordDns {
  return { do: "record-dns", written, why, ...(left && { left }) };
}

const isRead = (action: DnsAction | RecordDns) => action.do === "read-records";

function isDesired(last: DnsStatus | undefined, { provider, wanted }: Named): boolean {
  return last !== undefined && wanted !== undefined && isSameName(last, { ...wanted, provider });
}

/** The spec asks for all that was written. */
function isWhollyCurrent(last: DnsStatus, desired: Named & Pick<DesiredRecords, "types">): boolean {
  return isDesired(last, desired) && last.types.every((type) => desired.types.asked.includes(type));
}

type Named = Pick<RecordRemoval, "provider" | "wanted">;

function isSame(a: DnsStatus | undefined, b: DnsStatus): boolean {
  return a !== undefined && isSameName(a, b) && `${a.types}` === `${b.types}` && `${a.values}` === `${b.values}`;
}
