/**
 * Until when resolvers may have addresses that this process sees in no record. The status has one time for all records of the
 * resource: a change of other addresses moves it, but not the wait of one that had left before.
 */

import { timeOf } from "../../clock.js";

export interface RecordsSeen {
  /** Canonical: all addresses of the resource. */
  readonly ips: readonly string[];
  /** What the status says of the records. */
  readonly written: ReadonlySet<string>;
  /** What readings show, also what somebody else has written. */
  readonly read: ReadonlySet<string>;
  /** As the status has it. */
  readonly cachedUntil: string | undefined;
}

export class LeftDns {
  private readonly untilOf = new Map<string, number>();
  /** Somebody else has put them into DNS: only the time for all records is sure. */
  private readonly foreign = new Set<string>();

  /** To be called for each snapshot: whatever changes a record needs a plan first. @returns ms since the epoch, by address */
  look({ ips, written, read, cachedUntil }: RecordsSeen): ReadonlyMap<string, number> {
    for (const ip of written) this.foreign.delete(ip);
    for (const ip of read) if (!written.has(ip)) this.foreign.add(ip);
    const out = new Set(ips.filter((ip) => !written.has(ip) && !this.foreign.has(ip)));
    for (const ip of this.untilOf.keys()) if (!out.has(ip)) this.untilOf.delete(ip);
    for (const ip of out) if (!this.untilOf.has(ip)) this.untilOf.set(ip, timeOf(cachedUntil) ?? 0);
    return new Map(this.untilOf);
  }
}
