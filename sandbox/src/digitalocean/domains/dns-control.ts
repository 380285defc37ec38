/** Domains and records from behind: no checks, no calls. */

import type { RecordData } from "../data.js";
import type { World } from "../world.js";
import { addDomain, addRecord } from "./domains.js";

const DEFAULT_TTL = 1_800;

export interface NewRecord {
  readonly type: string;
  /** Relative; `@` for the domain itself. */
  readonly name: string;
  readonly data: string;
  /** @default 1800 */
  readonly ttl?: number;
}

export class DnsControl {
  constructor(private readonly world: World) {}

  /** A domain with SOA and name servers. */
  addDomain(name: string): void {
    addDomain(this.world, name);
  }

  /** Adds the record as it is. Throws for a domain that is unknown. */
  addRecord(domain: string, { type, name, data, ttl = DEFAULT_TTL }: NewRecord): RecordData {
    const blank = { priority: null, port: null, weight: null, flags: null, tag: null };
    return addRecord(this.world, this.domain(domain), { ...blank, type, name, data, ttl });
  }

  removeRecord(domain: string, id: number): void {
    this.domain(domain).records.delete(id);
  }

  /** Records of a domain, of one name if given. None of a domain that the account does not have (any more). */
  records(domain: string, name?: string): readonly RecordData[] {
    const { records = new Map<number, RecordData>() } = this.world.data.domains.get(domain) ?? {};
    return [...records.values()].filter((record) => name === undefined || record.name === name);
  }

  private domain(name: string) {
    const domain = this.world.data.domains.get(name);
    if (domain === undefined) throw new Error(`the account has no domain ${name}: add it first`);
    return domain;
  }
}
