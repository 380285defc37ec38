/** From a record set as it is to the one that a resource wants: one chain. Pure, and the same for all kinds. */

import type { DnsRecordSet, DnsStatus } from "cdk8s-flipop/api";
import { contestedUntil } from "../addresses/contested.js";
import { DEFAULT_TTL_SECONDS, planRecordChanges, planRemoval, typeOf } from "../providers/record-changes.js";
import type { RecordType } from "../providers/types.js";
import { isDue } from "../reconcile/retries/retry-schedule.js";
import type { DnsAction, RecordDns, RecordSequence, WhichRecords } from "./actions.js";
import type { DnsSnapshot } from "./dns-snapshot.js";
import type { Records } from "./record-set.js";

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
export interface RecordRemoval extends Pick<DesiredRecords, "now" | "dns" | "provider" | "last" | "types"> {
  readonly wanted: DnsRecordSet | undefined;
}

/** The new set, then the end of the former one, then the status. */
export function recordChain(desired: DesiredRecords): RecordSequence {
  const { dns, last, types } = desired;
  if (dns.claim?.ours === false) return isDesired(last, desired) ? [recorded(undefined, dns.claim.text)] : [];
  const values = desired.values.filter((value) => types.ours.includes(typeOf(value)));
  if (!mayWrite(desired)) return [];
  if (values.length === 0 && desired.empty !== true) return afterFailure(dns);
  const written = statusOf(desired, values);
  const change = changeTo(desired, written);
  if (change === "unread") return [{ do: "read-records", which: "current", why: "its content is unknown" }];
  const previous = previousRemoval(desired);
  if (previous.some(isRead)) return [...change, ...previous];
  const record = isSame(last, written) ? [] : [recorded(written, "this is what the record set holds now")];
  return [...change, ...previous, ...record];
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
export function ttlOf(dns: DnsSnapshot | undefined, wanted: DnsRecordSet | undefined): number {
  const asked = wanted?.ttl || DEFAULT_TTL_SECONDS;
  return dns?.capabilities?.ttl(asked) ?? asked;
}

/** Nothing is to be written: one more read shows whether the failure is over. */
function afterFailure({ failure, records }: DnsSnapshot): RecordSequence {
  if (failure === undefined || records !== "unknown") return [];
  return [{ do: "read-records", which: "current", why: "the last call failed" }];
}

function mayWrite({ dns: { capabilities, claim, retryAt }, reverts, now }: DesiredRecords): boolean {
  if (capabilities === undefined || claim?.ours !== true || !isDue(retryAt, now)) return false;
  return contestedUntil(reverts, now) === undefined;
}

function changeTo({ dns, ttl, owner }: DesiredRecords, written: DnsStatus): RecordSequence | "unread" {
  if (dns.records === "unknown") return "unread";
  const { values, recordName, provider } = written;
  const wanted = { values, ttl, owner };
  const changes = values.length === 0 ? planRemoval(dns.records) : planRecordChanges(dns.records, wanted);
  if (changes.steps.length === 0) return [];
  const why = `${recordName} should hold ${values.length === 0 ? "nothing" : values.join(", ")}`;
  return [{ do: "apply-records", which: "current", provider, changes, why }];
}

/** A renamed set, or a type that is not asked for any more, goes once the new set stands. */
function previousRemoval(desired: DesiredRecords): RecordSequence {
  const { dns, last, wanted, types } = desired;
  if (last === undefined || wanted.deletionPolicy !== "Delete" || dns.previous.claim?.ours === false) return [];
  return isWhollyCurrent(last, desired) ? [] : removalOf(strangersOnly(dns, types.asked), "previous", last);
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

export function recorded(written: DnsStatus | undefined, why: string): RecordDns {
  return { do: "record-dns", written, why };
}

function isRead(action: DnsAction | RecordDns): boolean {
  return action.do === "read-records";
}

function isDesired(last: DnsStatus | undefined, { provider, wanted }: Named): boolean {
  return last !== undefined && wanted !== undefined && isSameName(last, { ...wanted, provider });
}

/** The spec asks for all that was written. */
function isWhollyCurrent(last: DnsStatus, desired: Named & Pick<DesiredRecords, "types">): boolean {
  return isDesired(last, desired) && last.types.every((type) => desired.types.asked.includes(type));
}

type Named = Pick<RecordRemoval, "provider" | "wanted">;
type Name = Pick<DnsStatus, "provider" | "zone" | "recordName">;

export function isSameName(a: Name, b: Name): boolean {
  return a.provider === b.provider && a.zone === b.zone && a.recordName === b.recordName;
}

function isSame(a: DnsStatus | undefined, b: DnsStatus): boolean {
  return a !== undefined && isSameName(a, b) && `${a.types}` === `${b.types}` && `${a.values}` === `${b.values}`;
}
