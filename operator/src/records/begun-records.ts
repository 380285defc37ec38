/** Record sets of the resource beside that of `status.dns`: each stays in `begunRecords` until it is removed. Pure. */

import { type DeletionPolicy, type DnsRecordSet, type DnsStatus, MOST_BEGUN_RECORDS } from "cdk8s-flipop/api";
import { jsonEqual } from "../kube/objects.js";
import { typeOf } from "../providers/diff.js";
import type { RecordFacts, RecordSetFacts } from "../providers/types.js";
import { isDue } from "../reconcile/retries.js";
import {
  foreignAt,
  isDesired,
  type Named,
  ownRecords,
  removalOf as recordsRemoval,
  type WrittenPart,
} from "./foreign-values.js";
import type {
  DesiredRecords,
  LeftRecords,
  LostPlace,
  RecordChain,
  RecordDns,
  RecordRemoval,
} from "./record-actions.js";
import { isSameName, mayBeSameSet } from "./record-equality.js";

type Spec = Named & { readonly types: Pick<DesiredRecords["types"], "asked"> };

export interface WrittenSets {
  readonly dnsRecordSet?: DnsRecordSet | undefined;
  readonly dns?: DnsStatus | undefined;
  readonly begunRecords?: readonly DnsStatus[] | undefined;
}

/** The written sets that go with the resource. If the spec names none (any more), the status has the policy. */
export function setsToDelete(sets: WrittenSets): readonly DnsStatus[] {
  return writtenSets(sets).filter((each) => (sets.dnsRecordSet ?? each).deletionPolicy === "Delete");
}

/** Those that stay at their providers. */
export function setsToKeep(sets: WrittenSets): readonly DnsStatus[] {
  const going = setsToDelete(sets);
  return writtenSets(sets).filter((each) => !going.includes(each));
}

function writtenSets({ dns, begunRecords = [] }: WrittenSets): readonly DnsStatus[] {
  return [...(dns ? [dns] : []), ...begunRecords];
}

/** The spec asks for all that was written. */
export function isWhollyCurrent(last: DnsStatus, desired: Spec): boolean {
  return isDesired(last, desired) && last.types.every((type) => desired.types.asked.includes(type));
}

/** No record that was written last is to be removed: the spec asks for all of them, or their zone has been missing for too long. */
function isSettled(last: DnsStatus, desired: Spec & Pick<RecordRemoval, "dns">): boolean {
  return isWhollyCurrent(last, desired) || desired.dns.previous.lost === "zone for long";
}

/** Of the list, what is to be removed: the spec does not ask for it, or not for all of it. */
export function straysOf(begun: readonly DnsStatus[] = [], desired: Spec): readonly DnsStatus[] {
  return begun.filter((entry) => !isWhollyCurrent(entry, desired));
}

/** The types of a written set that the spec does not ask for. */
export function typesLeft({ types, ...name }: DnsStatus, { wanted, provider, types: { asked } }: Spec) {
  const named = wanted !== undefined && isSameName(name, { ...wanted, provider });
  return named ? types.filter((type) => !asked.includes(type)) : types;
}

/** Before a change of a set that `status.dns` does not name: after another change of the spec, or a restart, nothing else would. */
export function begin(desired: DesiredRecords, written: DnsStatus): RecordChain {
  const { last, begun = [] } = desired;
  const why = "the record set is empty before the first change";
  if (isEmptyAndNew(desired)) return [{ do: "record-dns", written: { ...written, values: [] }, why }];
  const isOnRecord = last !== undefined && isSameName(last, written);
  if (isOnRecord && written.types.every((type) => last.types.includes(type))) return [];
  const next = withEntry(begun, written);
  return jsonEqual(next, begun) ? [] : [record(last, next, "the operator is about to write the record set")];
}

/** Whatever the record set holds after a first change that fails half-way is ours: a deletion has to remove it. */
function isEmptyAndNew({ dns, last, types }: DesiredRecords): boolean {
  if (last !== undefined || dns.adopts === false || dns.records === "unknown") return false;
  return !dns.records.records.some(({ type }) => types.asked.includes(type));
}

function withEntry(begun: readonly DnsStatus[], added: DnsStatus): readonly DnsStatus[] {
  const known = begun.some((entry) => isSameName(entry, added));
  if (!known) return [...begun, added];
  return begun.map((entry) => (isSameName(entry, added) ? joined(entry, added) : entry));
}

function joined(known: DnsStatus, { types, values, deletionPolicy }: DnsStatus): DnsStatus {
  const union = <T>(a: readonly T[], b: readonly T[]) => [...new Set([...a, ...b])].sort();
  const both = { ...known, types: union(known.types, types), values: union(known.values, values) };
  return withPolicy(both, deletionPolicy);
}

/** The policy of now counts once the spec names no record set any more. */
function withPolicy({ deletionPolicy: _former, ...written }: DnsStatus, policy: DeletionPolicy | undefined): DnsStatus {
  return policy === "Delete" ? { ...written, deletionPolicy: policy } : written;
}

/** What `status.dns` names and is to be removed. */
export function formerToRemove(desired: DesiredRecords): DnsStatus | undefined {
  const { dns, last, wanted } = desired;
  if (last === undefined || wanted.deletionPolicy !== "Delete" || dns.previous.claim?.ours === false) return undefined;
  return isSettled(last, desired) ? undefined : last;
}

/** It stays on record until a second answer says whether its records are gone. */
export function isFormerInDoubt(desired: DesiredRecords): boolean {
  return !isDue(desired.dns.previous.emptyUntil, desired.now) && formerToRemove(desired) !== undefined;
}

/** Its removal has failed: it joins the list, so that the status does not wait for it to show the wanted set. */
export function isStuck(desired: DesiredRecords): boolean {
  const { retryAt, lost } = desired.dns.previous;
  const fails = retryAt !== undefined || lost !== undefined;
  return fails && formerToRemove(desired) !== undefined && !isFull(straysOf(desired.begun, desired));
}

/** The list once the wanted set is on record in `status.dns`. */
export function settled(desired: DesiredRecords): Pick<RecordDns, "begun"> {
  const { begun = [], wanted } = desired;
  const strays = straysOf(begun, desired);
  const left = wanted.deletionPolicy === "Delete" ? strays : strays.map((entry) => withPolicy(entry, "Retain"));
  const former = isStuck(desired) ? formerToRemove(desired) : undefined;
  if (former === undefined) return jsonEqual(left, begun) ? {} : { begun: left };
  return { begun: withEntry(left, withPolicy(partOf(former, typesLeft(former, desired)), wanted.deletionPolicy)) };
}

function partOf(written: DnsStatus, types: DnsStatus["types"]): DnsStatus {
  return { ...written, types, values: written.values.filter((value) => types.includes(typeOf(value))) };
}

/** One record set goes once the wanted one stands, or where the list is full. */
export function strayRemoval(desired: DesiredRecords): RecordChain {
  const { begun = [], last, wanted } = desired;
  const [stray] = straysOf(desired.begun, desired);
  const stands = last !== undefined && isWhollyCurrent(last, desired);
  if (stray === undefined || !(stands || isFull(begun))) return [];
  return removalOf(desired, stray, wanted.deletionPolicy === "Delete");
}

/** It takes no other entry. */
export function isFull(begun: readonly DnsStatus[] = []): boolean {
  return begun.length >= MOST_BEGUN_RECORDS;
}

export function isBegun({ begun = [] }: Pick<RecordRemoval, "begun">): boolean {
  return begun.length > 0;
}

/** Of a resource that goes: one record set, also the one that the spec names. */
export function begunRemoval(desired: RecordRemoval): RecordChain {
  const { dns, now, begun: [entry] = [] } = desired;
  return entry === undefined || !isDue(dns.retryAt, now)
    ? []
    : removalOf({ ...desired, wanted: undefined }, entry, true);
}

function removalOf(desired: RecordRemoval, entry: DnsStatus, deletes: boolean): RecordChain {
  const { dns, last, begun = [] } = desired;
  const { records = "unknown", claim, lost } = dns.begun ?? {};
  const forget = (why: string) =>
    record(
      last,
      begun.filter((each) => each !== entry),
      why,
    );
  if (claim?.ours === false) return [forget("another resource has the DNS name")];
  const over = goneFor(lost, deletes);
  if (over !== undefined) return [{ ...forget(over), ...unseen(entry, lost) }];
  if (records === "unknown") return begunRead(desired, entry);
  const found = { ...records, records: unwantedOf(desired, records) };
  const part: WrittenPart = { former: entry, which: "begun", records: found, wrote: dns.begun?.wrote };
  if (!deletes) return [{ ...forget("its records stay"), ...remaining(entry, ownRecords(part)) }];
  const why = "the record set holds none of these addresses any more";
  return [...recordsRemoval(part), { ...forget(why), ...foreignAt([part]) }];
}

/** After an answer without records, not before the second one counts. */
function begunRead({ dns, now }: RecordRemoval, { recordName }: DnsStatus): RecordChain {
  if (!isDue(dns.begun?.emptyUntil, now)) return [];
  return [{ do: "read-records", which: "begun", why: `${recordName} is to be deleted` }];
}

/** Under Delete, the records may still be there: the token of the provider, or its right to see the zone, may come back. */
function goneFor(lost: LostPlace | undefined, deletes: boolean): string | undefined {
  const waits = deletes && lost !== "zone for long";
  return lost === undefined || waits ? undefined : `its ${lost === "provider" ? lost : "zone"} is gone`;
}

/** A token that does not see the zone looks the same as a zone that is gone: its records may still be there. */
function unseen(written: DnsStatus, lost: LostPlace | undefined): Pick<RecordDns, "left"> {
  const isGone = lost === "zone" || lost === "zone for long";
  return isGone && written.values.length > 0 ? { left: { ...written, unseen: true } } : {};
}

/** What the former name still holds, where nothing is to delete it. */
export function leftBehind({ dns, last, wanted, provider }: DesiredRecords): LeftRecords | undefined {
  if (last === undefined || last.values.length === 0) return undefined;
  const { claim, lost } = dns.previous;
  if (claim?.ours === false || mayBeSameSet(last, { ...wanted, provider })) return undefined;
  if (wanted.deletionPolicy !== "Delete") return last;
  return lost === "zone for long" ? unseen(last, lost).left : undefined;
}

/** What the spec asks for stays: one zone has two names, its domain and its id. */
function unwantedOf({ dns, wanted, types }: RecordRemoval, found: RecordSetFacts): readonly RecordFacts[] {
  if (wanted === undefined || dns.records === "unknown") return found.records;
  if (dns.records.zone !== found.zone || dns.records.fqdn !== found.fqdn) return found.records;
  return found.records.filter(({ type }) => !types.asked.includes(type));
}

function remaining(entry: DnsStatus, records: readonly RecordFacts[]): Pick<RecordDns, "left"> {
  const values = records.map(({ value }) => value).sort();
  return values.length === 0 ? {} : { left: { ...entry, values } };
}

function record(written: DnsStatus | undefined, begun: readonly DnsStatus[], why: string): RecordDns {
  return { do: "record-dns", written, begun, why };
}
