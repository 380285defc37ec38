/**
 * From the observed record set to the desired one: one chain of actions for a plan. Pure, and the same for all kinds.
 */

import { type DnsStatus, normalRecordName } from "cdk8s-flipop/api";
import { undonePauseUntil } from "../addresses/undone-writes.js";
import { planRecordChanges, planRemoval, typeOf } from "../providers/diff.js";
import type { RecordSetFacts, RecordType } from "../providers/types.js";
import { isDue } from "../reconcile/retries.js";
import { isUndecidedName } from "../routing/address-and-name-access.js";
import { CONTESTED_RECORDS_MAX_AGE_MS } from "../timings.js";
import { listed } from "../values.js";
import {
  begin,
  begunRemoval,
  formerToRemove,
  isBegun,
  isFormerInDoubt,
  isFull,
  isStuck,
  isWhollyCurrent,
  leftBehind,
  settled,
  strayRemoval,
} from "./begun-records.js";
import type { Records } from "./cached-record-set.js";
import {
  foreignAt,
  foreignValues,
  isDesired,
  leftTo,
  removalOf,
  replacing,
  undone,
  type WrittenPart,
} from "./foreign-values.js";
import type {
  DesiredRecords,
  DnsAction,
  DnsSnapshot,
  LeftRecords,
  RecordChain,
  RecordDns,
  RecordRemoval,
} from "./record-actions.js";
import { hasCname, isSameName } from "./record-equality.js";
import { withCaches } from "./resolver-caches.js";

/** The new set, then the end of the former one, then the status. */
export function recordChain(desired: DesiredRecords): RecordChain {
  return withCaches(desired, changesOf(desired));
}

function changesOf(desired: DesiredRecords): RecordChain {
  const { dns, last, types } = desired;
  if (dns.claim?.ours === false)
    return isDesired(last, desired) ? [recorded(undefined, "another resource owns the DNS name")] : formerSet(desired);
  const values = desired.values.filter((value) => types.ours.includes(typeOf(value)));
  const may = mayWrite(desired, values);
  // Clients use the former name until the new one stands: it goes first where a call for the new one has failed.
  const former = may && dns.retryAt === undefined ? [] : formerSet(desired);
  if (former.length > 0) return former;
  if (!may) return [...zoneRead(desired), ...blockedRead(desired, values)];
  if (values.length === 0 && desired.empty !== true)
    return [...afterFailure(dns), ...oneOf(halfWritten(desired), strayWhileEmpty(desired))];
  return chainOf(desired, statusOf(desired, values));
}

/** The second one begins only once the first has nothing to do. */
function oneOf(first: RecordChain, second: RecordChain): RecordChain {
  return first.length > 0 ? first : second;
}

/** The wanted set and the stray may be one, under two names of its zone: then its records are not to go. */
function strayWhileEmpty(desired: DesiredRecords): RecordChain {
  return desired.dns.records === "unknown" ? [] : strayRemoval(desired);
}

function chainOf(desired: DesiredRecords, written: DnsStatus): RecordChain {
  const change = changeTo(desired, written);
  if (change === "unread") return [{ do: "read-records", which: "current", why: "its content is unknown" }];
  const start = change.length === 0 ? [] : begin(desired, written);
  const room = start.length > 0 && isFull(desired.begun) ? strayRemoval(desired) : [];
  if (room.length > 0) return room;
  const parts = previousParts(desired);
  const previous = parts.flatMap(removalOf);
  const changed = [...start, ...change, ...previous];
  const isOpen = previous.some(isRead) || isFormerInDoubt(desired);
  const chain = isOpen ? changed : [...changed, ...ended(desired, change, written)];
  return oneOf(chain, strayRemoval(desired));
}

/** A change has an Event of its own. */
function ended(desired: DesiredRecords, change: RecordChain, written: DnsStatus): RecordChain {
  const begun = settled(desired);
  const isShown = isSame(desired.last, written) && desired.last?.deletionPolicy === written.deletionPolicy;
  if (isShown && begun.begun === undefined) return [];
  const changed = change.length === 0 ? halfChange(desired, written.values) : {};
  const record = recorded(written, "this is what the record set holds now", leftBehind(desired));
  return [{ ...record, ...foreignAt(previousParts(desired)), ...changed, ...begun }];
}

/** Deletes what was last written, for a resource that goes. */
export function removalChain(desired: RecordRemoval): RecordChain {
  return withCaches(desired, removalsOf(desired));
}

function removalsOf(desired: RecordRemoval): RecordChain {
  const { dns, last } = desired;
  if (isBegun(desired)) return begunRemoval(desired);
  if (last === undefined) return [];
  const forget = recorded(undefined, "the resource is being deleted");
  const named = isDesired(last, desired);
  if ((named ? dns.claim : dns.previous.claim)?.ours === false) return [forget];
  if (!isDue(dns.retryAt, desired.now)) return [];
  const current: WrittenPart = {
    former: last,
    which: "current",
    records: partOf(dns.records, last.types),
    wrote: dns.wrote,
  };
  const { records, wrote } = dns.previous;
  const previous: WrittenPart = { former: last, which: "previous", records, wrote };
  const parts = [...(named ? [current] : []), ...(isWhollyCurrent(last, desired) ? [] : [previous])];
  const removal = parts.flatMap(removalOf);
  return removal.some(isRead) ? removal : [...removal, { ...forget, ...foreignAt(parts) }];
}

/** As people know it, such as "www.example.com". */
export function fullNameOf(
  dns: Pick<DnsSnapshot, "fqdn"> | undefined,
  { zone = "", recordName = "" }: { readonly zone?: string; readonly recordName?: string } = {},
): string {
  return dns?.fqdn ?? normalRecordName({ recordName, zone }).fqdn;
}

/** The first read shows the domain of a zone that the spec names by an id. */
function zoneRead({ dns, now }: DesiredRecords): RecordChain {
  const { records, capabilities, claim, retryAt, refused } = dns;
  if (!isUndecidedName(refused)) return [];
  if (records !== "unknown" || capabilities === undefined || claim?.ours !== true || !isDue(retryAt, now)) return [];
  return [{ do: "read-records", which: "current", why: "the domain of its zone is unknown" }];
}

/** Whoever deletes a record that is in the way need not wait for the drift interval. */
function blockedRead(desired: DesiredRecords, values: readonly string[]): RecordChain {
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

/** Nothing is to be written: one more read shows whether the failure is over, and what a change has left. */
function afterFailure({ failure, halfDone, records }: DnsSnapshot): RecordChain {
  if ((failure === undefined && halfDone === undefined) || records !== "unknown") return [];
  return [{ do: "read-records", which: "current", why: "the last call failed" }];
}

/** Nothing is to be written any more, but the operator has written a part. */
function halfWritten(desired: DesiredRecords): RecordChain {
  const { dns, last, types } = desired;
  if (dns.records === "unknown" || last === undefined || !isDesired(last, desired)) return [];
  const values = [...new Set(ofTypes(dns.records, types.ours).map(({ value }) => value))].sort();
  const changed = halfChange(desired, values);
  if (changed.changed === undefined || isSame(last, { ...last, values })) return [];
  return [{ ...recorded({ ...last, values }, "a change of the record set ended half-way"), ...changed }];
}

/** What a change that ended half-way has made of the set, unless somebody else has changed it since. */
function halfChange({ dns, wanted }: DesiredRecords, after: readonly string[]): Pick<RecordDns, "changed"> {
  const { halfDone: before, isOurs } = dns;
  if (before === undefined || isOurs !== true) return {};
  return { changed: { fqdn: fullNameOf(dns, wanted), before, after } };
}

function mayWrite(desired: DesiredRecords, values: readonly string[]): boolean {
  const { capabilities, claim, refused } = desired.dns;
  if (refused !== undefined || foreignValues(desired, values).length > 0) return false;
  if (values.length > 0 && hasCname(desired.dns.records)) return false;
  return capabilities !== undefined && claim?.ours === true && mayCall(desired);
}

function mayCall({ dns, reverts, now }: DesiredRecords): boolean {
  return isDue(dns.retryAt, now) && undonePauseUntil(reverts, now) === undefined;
}

function changeTo({ dns, ttl, owner, last, begun = [] }: DesiredRecords, written: DnsStatus): RecordChain | "unread" {
  if (dns.records === "unknown") return "unread";
  const { values, recordName, provider } = written;
  const wanted = { values, ttl, owner };
  const changes = values.length === 0 ? planRemoval(dns.records) : planRecordChanges(dns.records, wanted);
  if (changes.steps.length === 0) return [];
  const why = `${recordName} should hold ${values.length === 0 ? "nothing" : listed(values)}`;
  const started = begun.filter((entry) => isSameName(entry, written)).flatMap((entry) => entry.values);
  const ours = [...leftTo(dns), ...started];
  const origin = isSame(last, written) ? undone(changes, dns) : replacing(changes, last, written, ours);
  const since = dns.halfDone && { since: dns.halfDone };
  return [{ do: "apply-records", which: "current", provider, changes, why, ...since, ...origin }];
}

/** The resource waits for its new name: until then it keeps the set on its former one up to date. */
function formerSet(desired: DesiredRecords): RecordChain {
  const { last, dns } = desired;
  const { claim } = dns.previous;
  if (last === undefined || claim === undefined || isDesired(last, desired)) return [];
  return claim.ours ? followUp(desired, last) : [recorded(undefined, "another resource owns its former DNS name")];
}

function followUp(desired: DesiredRecords, last: DnsStatus): RecordChain {
  const { records, lost, retryAt, emptyUntil = retryAt } = desired.dns.previous;
  const values = desired.values.filter((value) => last.types.includes(typeOf(value)));
  if (values.length === 0 || `${values}` === `${last.values}`) return [];
  if (lost === "provider" || !isDue(emptyUntil, desired.now)) return [];
  const why = `${last.recordName} should hold ${listed(values)} until the resource has its new name`;
  if (records === "unknown") return [{ do: "read-records", which: "previous", why }];
  const untouched = hasCname(records) || isWantedSet(records, last, desired);
  return untouched ? [] : updateOf(desired, { records, values, last, why });
}

/** One zone has two names, its domain and its id. */
function isWantedSet({ fqdn }: RecordSetFacts, last: DnsStatus, { dns, wanted, provider }: DesiredRecords): boolean {
  if (fqdn !== dns.fqdn || last.provider !== provider) return false;
  const [was, is] = [last, wanted].map((name) => normalRecordName(name).zone);
  return was === is || ![last, wanted].every(({ zone }) => zone.includes("."));
}

function updateOf({ owner }: DesiredRecords, { records, values, last, why }: FormerUpdate): RecordChain {
  const changes = planRecordChanges(records, { values, ttl: "keep", owner });
  const written = {
    ...last,
    types: records.types,
    values: values.filter((value) => records.types.includes(typeOf(value))),
  };
  const change: RecordChain = [{ do: "apply-records", which: "previous", provider: last.provider, changes, why }];
  return [
    ...(changes.steps.length === 0 ? [] : change),
    recorded(written, "this is what the former record set holds now"),
  ];
}

interface FormerUpdate {
  readonly records: RecordSetFacts;
  readonly values: readonly string[];
  readonly last: DnsStatus;
  readonly why: string;
}

/** A renamed set, or a type that is not asked for any more, goes once the new set stands. */
function previousParts(desired: DesiredRecords): readonly WrittenPart[] {
  const { dns, types } = desired;
  const former = formerToRemove(desired);
  if (former === undefined || isStuck(desired) || isFormerInDoubt(desired)) return [];
  return [{ former, which: "previous", records: strangersOnly(dns, types.asked), wrote: dns.previous.wrote }];
}

/** One zone has two names, its domain and its id: what looks renamed may be the set that has just been written. */
function strangersOnly({ records, previous }: DnsSnapshot, asked: readonly RecordType[]): Records {
  const known = previous.records;
  if (known === "unknown" || records === "unknown") return known;
  if (known.zone !== records.zone || known.fqdn !== records.fqdn) return known;
  return { ...known, records: known.records.filter(({ type }) => !asked.includes(type)) };
}

/** The part of the reading that was ours. */
function partOf(records: Records, types: readonly RecordType[]): Records {
  return records === "unknown" ? records : { ...records, records: ofTypes(records, types) };
}

function ofTypes({ records }: RecordSetFacts, types: readonly RecordType[]): RecordSetFacts["records"] {
  return records.filter(({ type }) => types.includes(type));
}

function statusOf({ provider, wanted, types }: DesiredRecords, values: readonly string[]): DnsStatus {
  const { zone, recordName, deletionPolicy } = wanted;
  const policy = deletionPolicy === "Delete" ? { deletionPolicy } : {};
  return { provider, zone, recordName, types: types.ours, values, ...policy };
}

/** @param left see `RecordDns.left` */
export function recorded(written: DnsStatus | undefined, why: string, left?: LeftRecords): RecordDns {
  return { do: "record-dns", written, why, ...(left && { left }) };
}

const isRead = (action: DnsAction | RecordDns) => action.do === "read-records";

function isSame(a: DnsStatus | undefined, b: DnsStatus): boolean {
  return a !== undefined && isSameName(a, b) && `${a.types}` === `${b.types}` && `${a.values}` === `${b.values}`;
}
