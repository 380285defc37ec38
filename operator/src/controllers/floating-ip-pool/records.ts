/** Step 9: the record set of the addresses that are up. It is never emptied, but for a resource that asks for it. */

import type { DnsRecordSet, DnsStatus, IpFamily } from "cdk8s-flipop/api";
import { DEFAULT_TTL_SECONDS, planRecordChanges, planRemoval } from "../../providers/record-changes.js";
import type { RecordSetFacts } from "../../providers/types.js";
import { isDue } from "../retry-schedule.js";
import type { Action, Chain } from "./actions.js";
import { contestedUntil } from "./contested.js";
import { isOurs, isServed, type Standing } from "./grace.js";
import type { DnsSnapshot, Snapshot } from "./snapshot.js";

/** One chain: the new set, then the end of the former one, then the status. */
export function recordChain(snapshot: Snapshot, values: readonly string[], family: IpFamily): Chain {
  const { dns, pool } = snapshot;
  const wanted = pool.spec.dnsRecordSet;
  if (wanted === undefined) return forgotten(pool.status.dns);
  if (dns === undefined || values.length === 0 || !mayWrite(snapshot, dns)) return [];
  const written = writtenBy(pool.spec.provider, wanted, { values, family });
  const change = applied(dns, { written, wanted, last: pool.status.dns });
  if (change === "unread") return [{ do: "read-records", which: "current", why: "they have to change" }];
  const former = formerRemoval(snapshot, dns, written);
  const told = isSame(pool.status.dns, written) ? [] : [recorded(written, "this is what the record set holds now")];
  return [...change, ...former, ...(former.some(isRead) ? [] : told)];
}

function mayWrite({ now, memory }: Snapshot, { capabilities, claim, retryAt }: DnsSnapshot): boolean {
  if (capabilities === undefined || claim?.ours !== true || !isDue(retryAt, now)) return false;
  return contestedUntil(memory.reverts.get("records"), now) === undefined;
}

/** Addresses to publish: those that are served, and those on their way that were published before. */
export function publishedOf(snapshot: Snapshot, standings: readonly Standing[], moving: ReadonlySet<string>) {
  const before = new Set(snapshot.pool.status.dns?.values);
  const onTheWay = ({ address, sight }: Standing) => sight === "moving" || moving.has(address.ip);
  const published = standings.filter((standing) => {
    if (!standing.address.wanted || !isOurs(standing)) return false;
    return isServed(standing) || (onTheWay(standing) && before.has(standing.address.ip));
  });
  // Nothing is up: the set is left alone, so that the move of the only address does not touch it.
  return standings.some(isServed) ? published.map(({ address }) => address.ip).sort() : [];
}

/** Deletes the set that was last written, for a pool that goes. */
export function recordRemoval({ dns, pool }: Snapshot): Chain {
  const { dns: last } = pool.status;
  if (last === undefined || dns === undefined) return [];
  const current = isSameName(last, nameOf(pool.spec.provider, pool.spec.dnsRecordSet));
  const which = current ? "current" : "former";
  const claim = current ? dns.claim : dns.former.claim;
  const forget = recorded(undefined, "the pool is being deleted");
  if (claim?.ours === false) return [forget];
  const removal = removalOf(current ? dns.records : dns.former.records, { which, last });
  return removal.some(isRead) ? removal : [...removal, forget];
}

/** The TTL that is written, seconds. */
export function ttlOf(dns: DnsSnapshot | undefined, wanted: DnsRecordSet | undefined): number {
  const asked = wanted?.ttl || DEFAULT_TTL_SECONDS;
  return dns?.capabilities?.ttl(asked) ?? asked;
}

interface Writing {
  readonly written: DnsStatus;
  readonly wanted: DnsRecordSet;
  /** As the status has it. */
  readonly last: DnsStatus | undefined;
}

/** Known records decide; unknown ones need a look only where the status says that something is to be changed. */
function applied(dns: DnsSnapshot, { written, wanted, last }: Writing): Chain | "unread" {
  if (dns.records === "unknown") return isSame(last, written) ? [] : "unread";
  const wish = { values: written.values, ttl: ttlOf(dns, wanted) };
  const changes = planRecordChanges(dns.records, wish);
  if (changes.steps.length === 0) return [];
  const why = `${written.recordName} should hold ${written.values.join(", ")}`;
  return [{ do: "apply-records", which: "current", provider: written.provider, changes, why }];
}

/** A renamed set goes once the new one stands. */
function formerRemoval(snapshot: Snapshot, dns: DnsSnapshot, written: DnsStatus): Chain {
  const { spec, status } = snapshot.pool;
  const last = status.dns;
  if (last === undefined || isSameName(last, written) || spec.dnsRecordSet?.deletionPolicy !== "Delete") return [];
  if (dns.former.claim?.ours === false) return [];
  return removalOf(dns.former.records, { which: "former", last });
}

interface Former {
  readonly which: "current" | "former";
  readonly last: DnsStatus;
}

function removalOf(records: RecordSetFacts | "unknown", { which, last }: Former): Chain {
  if (records === "unknown") return [{ do: "read-records", which, why: `${last.recordName} is to be deleted` }];
  const changes = planRemoval(records);
  if (changes.steps.length === 0) return [];
  return [
    { do: "apply-records", which, provider: last.provider, changes, why: `${last.recordName} is not wanted any more` },
  ];
}

/** Without a record set in the spec nobody knows the policy: what was written stays. */
function forgotten(last: DnsStatus | undefined): Chain {
  return last === undefined ? [] : [recorded(undefined, "spec.dnsRecordSet is gone; the records stay")];
}

function recorded(written: DnsStatus | undefined, why: string): Action {
  return { do: "record-dns", written, why };
}

function isRead(action: Action): boolean {
  return action.do === "read-records";
}

function writtenBy(
  poolProvider: string,
  wanted: DnsRecordSet,
  { values, family }: { readonly values: readonly string[]; readonly family: IpFamily },
): DnsStatus {
  const { provider, zone, recordName } = nameOf(poolProvider, wanted);
  return { provider, zone, recordName, types: [family === "IPv6" ? "AAAA" : "A"], values };
}

function nameOf(poolProvider: string, wanted: DnsRecordSet | undefined) {
  const provider = wanted?.provider || poolProvider;
  return { provider, zone: wanted?.zone ?? "", recordName: wanted?.recordName ?? "" };
}

type Name = Pick<DnsStatus, "provider" | "zone" | "recordName">;

function isSameName(a: Name, b: Name): boolean {
  return a.provider === b.provider && a.zone === b.zone && a.recordName === b.recordName;
}

function isSame(a: DnsStatus | undefined, b: DnsStatus): boolean {
  return a !== undefined && isSameName(a, b) && `${a.types}` === `${b.types}` && `${a.values}` === `${b.values}`;
}
