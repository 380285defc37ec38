/**
 * The addresses that DNS names of NodeDNSRecordSets lead to, or lead to where resolvers still have the former records.
 * Another resource may have created them: whoever leads people to a released address leads them to its next owner.
 */

import { canonicalIp } from "cdk8s-flipop/api";
import type { Clock } from "../clock.js";
import type { ResourceRef } from "../inventory/view.js";
import { LONGEST_DRAIN_MS, SECOND_MS } from "../timings.js";
import { Claims } from "./claims.js";
import { Heirs } from "./heirs.js";

/** A name that may lead to an address. */
export interface NodeName {
  readonly resource: ResourceRef;
  /** ms since the epoch: when resolvers no longer have it. Absent: it is published now. */
  readonly until?: number;
}

/** What one NodeDNSRecordSet publishes. */
interface Published {
  readonly values: readonly string[];
  /** Seconds. */
  readonly ttl: number;
  /** ms since the epoch: until when resolvers may have earlier records of it (`status.recordsCachedUntil`). */
  readonly cachedUntil?: number | undefined;
}

interface Entry {
  readonly resource: ResourceRef;
  /** As the status shows it. */
  readonly recorded: ReadonlySet<string>;
  /** What this process writes, before the status shows it. */
  readonly planned: ReadonlySet<string>;
  /** Seconds. */
  readonly ttl: number;
  /** Monotonic, ms: resolvers may have earlier records, with a longer TTL, until then. */
  readonly cachedUntil: number;
}

interface Left {
  readonly resource: ResourceRef;
  /** Monotonic, ms. */
  readonly until: number;
}

export class NodeNames {
  private readonly entries = new Map<string, Entry>();
  private readonly left = new Map<string, Left>();

  /** @param onLeft the addresses that some name has left. */
  constructor(
    private readonly clock: Pick<Clock, "now" | "monotonic">,
    private readonly onLeft: (ips: readonly string[]) => void = () => undefined,
  ) {}

  /** What the status of a NodeDNSRecordSet shows now. */
  put(resource: ResourceRef, { values, ttl, cachedUntil }: Published): void {
    const before = this.entries.get(resource.uid);
    const { planned = NONE } = before ?? {};
    const now = this.clock.monotonic();
    const recorded = cachedUntil === undefined ? now : now + cachedUntil - this.clock.now();
    // Until now, the longer TTL was served.
    const lowered = before !== undefined && before.ttl > ttl ? now + before.ttl * SECOND_MS : now;
    const until = Math.max(recorded, lowered, before?.cachedUntil ?? now);
    this.replace({ resource, recorded: canonical(values), planned, ttl, cachedUntil: until });
  }

  /** What it is about to write. @param unsure an earlier write may have been done although its answer was lost */
  plan({ uid }: ResourceRef, values: readonly string[], unsure = false): void {
    const before = this.entries.get(uid);
    if (before === undefined) return;
    const planned = canonical([...values, ...(unsure ? before.planned : NONE)]);
    this.replace({ ...before, planned });
  }

  /** The NodeDNSRecordSet is gone. */
  drop(uid: string): void {
    const before = this.entries.get(uid);
    this.entries.delete(uid);
    if (before !== undefined) this.leave(before, NONE, before);
  }

  /** `undefined`: no name has it, or has had it lately. */
  of(ip: string): NodeName | undefined {
    const publisher = [...this.entries.values()].find((entry) => entry.recorded.has(ip) || entry.planned.has(ip));
    if (publisher !== undefined) return { resource: publisher.resource };
    const left = this.left.get(ip);
    if (left === undefined) return undefined;
    return { resource: left.resource, until: this.clock.now() + left.until - this.clock.monotonic() };
  }

  private replace(entry: Entry): void {
    const before = this.entries.get(entry.resource.uid);
    this.entries.set(entry.resource.uid, entry);
    if (before === undefined) return;
    // Resolvers have the former records under their own TTL.
    const ttl = Math.max(before.ttl, entry.ttl);
    this.leave(before, new Set([...entry.recorded, ...entry.planned]), { ttl, cachedUntil: entry.cachedUntil });
  }

  private leave(
    { resource, recorded, planned }: Entry,
    kept: ReadonlySet<string>,
    { ttl, cachedUntil }: Pick<Entry, "ttl" | "cachedUntil">,
  ): void {
    const now = this.clock.monotonic();
    for (const [ip, { until }] of this.left) if (until <= now) this.left.delete(ip);
    const gone = [...new Set([...recorded, ...planned])].filter((ip) => !kept.has(ip));
    for (const ip of gone) {
      const end = Math.min(Math.max(now + ttl * SECOND_MS, cachedUntil), now + LONGEST_DRAIN_MS);
      const until = Math.max(end, this.left.get(ip)?.until ?? 0);
      this.left.set(ip, { resource, until });
    }
    if (gone.length > 0) this.onLeft(gone);
  }
}

/** @param notify resources whose claims have changed, or whose addresses have left a name. */
/** @typeParam T see `Heirs`. */
export function claimRegistries<T>(clock: Pick<Clock, "now" | "monotonic">, notify: (uids: readonly string[]) => void) {
  const claims = new Claims(notify);
  const nodeNames = new NodeNames(clock, (ips) => notify(ips.flatMap((ip) => claims.holderOf(ip)?.uid ?? [])));
  return { claims, nodeNames, heirs: new Heirs<T>(claims) };
}

const NONE: ReadonlySet<string> = new Set();

function canonical(values: readonly string[]): ReadonlySet<string> {
  return new Set(values.map(canonicalIp));
}
