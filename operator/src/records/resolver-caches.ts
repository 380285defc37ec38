/** Pure: how long resolvers may have records that a change ends. An address of them is not released before that. */

import type { DnsRecordSet, DnsStatus } from "cdk8s-flipop/api";
import { timeOf, timestamp } from "../clock.js";
import { DEFAULT_TTL_SECONDS, longestTtl, resolverSeconds } from "../providers/diff.js";
import { LONGEST_DRAIN_MS, SECOND_MS } from "../timings.js";
import type { Records } from "./cached-record-set.js";
import type {
  DesiredRecords,
  DnsAction,
  DnsSnapshot,
  RecordChain,
  RecordDns,
  RecordRemoval,
} from "./record-actions.js";

/** The TTL that is written, seconds. */
export function ttlOf(
  dns: Pick<DnsSnapshot, "capabilities"> | undefined,
  wanted: Pick<DnsRecordSet, "ttl"> | undefined,
): number {
  const asked = wanted?.ttl || DEFAULT_TTL_SECONDS;
  return dns?.capabilities?.ttl(asked) ?? asked;
}

type Wanting = RecordRemoval & Partial<Pick<DesiredRecords, "ttl">>;

/** The chain, in which the status also keeps how long resolvers may have what it ends. */
export function withCaches(desired: Wanting, chain: RecordChain): RecordChain {
  const { dns } = desired;
  const readings = [dns.records, dns.previous.records, dns.begun?.records ?? "unknown"];
  const seconds = Math.max(specSeconds(desired), ...readings.map(secondsOf));
  const ends = chain.some(endsValue);
  const marked = chain.map((action, index) => {
    if (action.do !== "record-dns" || (action.left !== undefined && action.left.foreign !== true)) return action;
    const isAfter = ends && !chain.slice(index).some(isChange);
    return isAfter || leaves(desired, action) ? { ...action, cachedSeconds: seconds } : action;
  });
  return seconds > specSeconds(desired) ? aroundChanges(desired, marked, seconds) : marked;
}

/** Nothing else would know the longer TTL after a restart. Afterwards once more: the time counts from the end of the change. */
function aroundChanges({ last, begun = [] }: RecordRemoval, chain: RecordChain, cachedSeconds: number): RecordChain {
  const first = chain.findIndex(isChange);
  if (first < 0) return chain;
  const same: RecordDns = { do: "record-dns", written: last, begun, why: CACHED, cachedSeconds };
  const before = chain[first - 1];
  const start = before?.do === "record-dns" ? { ...before, begun: before.begun ?? begun, cachedSeconds } : same;
  const started = [...chain.slice(0, before?.do === "record-dns" ? first - 1 : first), start, ...chain.slice(first)];
  const end = started.findLastIndex(isChange) + 1;
  const after = started[end];
  if (after?.do === "record-dns") return started.with(end, { ...after, cachedSeconds });
  return started.toSpliced(end, 0, { ...start, why: CACHED });
}

const CACHED = "resolvers may have its records with a longer TTL than that of the spec";

/** Of the spec. Without a record set in it, none; where existing records keep theirs, that. */
function specSeconds({ dns, wanted, ttl }: Wanting): number {
  if (wanted === undefined) return 0;
  const kept = ttl === "keep" ? secondsOf(dns.records) : 0;
  return Math.max(resolverSeconds(ttlOf(dns, wanted)), kept);
}

function secondsOf(records: Records): number {
  return records === "unknown" ? 0 : longestTtl(records.records);
}

/** Values of a set go. */
function endsValue(action: DnsAction | RecordDns): boolean {
  return action.do === "apply-records" && action.changes.before.some((value) => !action.changes.after.includes(value));
}

/** The status shows fewer addresses of some name, also where somebody else has deleted the records. */
function leaves({ last, begun = [] }: RecordRemoval, { written, begun: left = begun }: RecordDns): boolean {
  const after = new Set(pairsOf(written, left));
  return pairsOf(last, begun).some((pair) => !after.has(pair));
}

function pairsOf(written: DnsStatus | undefined, begun: readonly DnsStatus[]): readonly string[] {
  return [...(written ? [written] : []), ...begun].flatMap(({ provider, zone, recordName, values }) =>
    values.map((value) => `${provider} ${zone} ${recordName} ${value}`),
  );
}

const isChange = (action: DnsAction | RecordDns) => action.do === "apply-records";

/** What the status says of a record set after an action. */
export function dnsFields({ written, begun, cachedSeconds }: Recorded, { now, cachedUntil }: Cached) {
  const known = Math.min(timeOf(cachedUntil) ?? 0, now + LONGEST_DRAIN_MS);
  const until = Math.max(known, now + Math.min((cachedSeconds ?? 0) * SECOND_MS, LONGEST_DRAIN_MS));
  return {
    dns: written,
    ...(begun && { begunRecords: begun.length === 0 ? undefined : begun }),
    ...(cachedUntil === undefined && cachedSeconds === undefined
      ? {}
      : { recordsCachedUntil: until > now ? timestamp(until) : undefined }),
  };
}

type Recorded = Pick<RecordDns, "written" | "begun" | "cachedSeconds">;

interface Cached {
  /** Wall clock, ms since the epoch. */
  readonly now: number;
  /** As the status has it. */
  readonly cachedUntil: string | undefined;
}
