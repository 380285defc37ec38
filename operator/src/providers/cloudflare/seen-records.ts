/** What a reading of a record set showed beyond RecordFacts, for the changes that follow. */

import { MAX_RECORD_SETS } from "../../bounds.js";

export interface SeenRecord {
  readonly id: string;
  readonly ttl: number;
  /** Traffic goes through Cloudflare; the TTL is always automatic. */
  readonly proxied: boolean;
  /** Empty: none. */
  readonly comment: string;
}

export class SeenRecords {
  private readonly sets = new Map<string, ReadonlyMap<string, SeenRecord>>();

  /** Replaces what was seen of the record set before. */
  remember(zone: string, fqdn: string, records: readonly SeenRecord[]): void {
    const key = `${zone}/${fqdn}`;
    this.sets.delete(key);
    this.sets.set(key, new Map(records.map((record) => [record.id, record])));
    const [oldest] = this.sets.keys();
    if (this.sets.size > MAX_RECORD_SETS && oldest !== undefined) this.sets.delete(oldest);
  }

  /** Adds the written records to the reading. */
  update(zone: string, fqdn: string, written: readonly SeenRecord[]): void {
    const known = this.sets.get(`${zone}/${fqdn}`);
    if (known !== undefined) this.remember(zone, fqdn, [...known.values(), ...written]);
  }

  /** By id. Empty for a record set that was not read. */
  of(zone: string, fqdn: string): ReadonlyMap<string, SeenRecord> {
    return this.sets.get(`${zone}/${fqdn}`) ?? new Map();
  }
}
