/**
 * All record sets that this process reads and writes, one entry for each name and types, whoever asks with whichever
 * token: as with claims, a name of one provider exists once, so two resources never write one entry.
 */

import { MAX_RECORD_SETS } from "../bounds.js";
import { normalName } from "../claims/dns-name.js";
import type { Clock } from "../clock.js";
import type { DnsProvider, RecordSetName } from "../providers/types.js";
import { AccountRecovery } from "../reconcile/retries/account-recovery.js";
import { RecordSet } from "./record-set.js";
import { ZoneDomains } from "./zone-domains.js";

export class RecordRegistry {
  readonly zones = new ZoneDomains();
  private readonly sets = new Map<string, RecordSet>();
  private readonly recoveries = new WeakMap<object, AccountRecovery>();

  constructor(private readonly clock: Clock) {}

  /** Of the account that a provider stands for: each token has a provider of its own. */
  recoveryOf(provider: object): AccountRecovery {
    const known = this.recoveries.get(provider);
    if (known !== undefined) return known;
    const made = new AccountRecovery(this.clock);
    this.recoveries.set(provider, made);
    return made;
  }

  /** The same object as long as provider, zone, name and types mean the same. */
  of(provider: Pick<DnsProvider, "name">, name: RecordSetName): RecordSet {
    const key = keyOf(provider.name, name);
    const set = this.sets.get(key) ?? new RecordSet(name, this.clock, (account) => this.recoveryOf(account));
    this.sets.delete(key);
    this.sets.set(key, set);
    const [oldest] = this.sets.keys();
    if (this.sets.size > MAX_RECORD_SETS && oldest !== undefined) this.sets.delete(oldest);
    return set;
  }
}

function keyOf(provider: string, name: RecordSetName): string {
  const { zone, fqdn } = normalName(provider, name);
  return `${provider} ${zone} ${fqdn} ${[...name.types].sort().join("+")}`;
}
