/** Accounts of records, and zones that they do not show: when a call finds one, all that failed for its sake may be tried at once. */

import type { Clock } from "../clock.js";
import { ACCOUNT_RECOVERIES_APART_MS, LONGEST_RETRY_MS, RECORD_READS_APART_MS, SECOND_MS } from "../timings.js";
import { AccountRecovery, type RecoveringAccount } from "./account-recovery.js";

/** One zone in one account. */
export class MissingZone {
  private isMissing = false;
  private finds = 0;
  private foundAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly clock: Pick<Clock, "monotonic">,
    private readonly onFound: () => void,
  ) {}

  /** How often a call has found it after others had not. */
  get recovered(): number {
    return this.finds;
  }

  noteMissing(): void {
    this.isMissing = true;
  }

  /** A name that fails for a reason of its own must not be tried with each call for its neighbours. */
  noteFound(): void {
    if (this.isMissing && this.clock.monotonic() - this.foundAt >= ACCOUNT_RECOVERIES_APART_MS) this.find();
  }

  /** Another token may show it. */
  noteCredentials(): void {
    if (this.isMissing) this.find();
  }

  private find(): void {
    this.isMissing = false;
    this.finds += 1;
    this.foundAt = this.clock.monotonic();
    this.onFound();
  }
}

/** What the calls for all record sets tell about their accounts. */
export class RecordAccounts {
  private readonly recoveries = new WeakMap<object, AccountRecovery>();
  private readonly zones = new WeakMap<object, Map<string, MissingZone>>();

  /** @param onZoneFound called when a zone that was missing is there. */
  constructor(
    private readonly clock: Pick<Clock, "monotonic" | "now">,
    private readonly onZoneFound: () => void = () => undefined,
  ) {}

  /** Of the account that a provider stands for: each token has a provider of its own. */
  recoveryOf(provider: object): AccountRecovery {
    const recovery = this.recoveries.get(provider) ?? new AccountRecovery(this.clock);
    this.recoveries.set(provider, recovery);
    return recovery;
  }

  /** @param name as in the resource. */
  zoneOf(provider: object, name: string): MissingZone {
    const zones = this.zones.get(provider) ?? new Map<string, MissingZone>();
    this.zones.set(provider, zones);
    const key = name.trim().toLowerCase().replace(/\.$/, "");
    const zone = zones.get(key) ?? new MissingZone(this.clock, this.onZoneFound);
    zones.set(key, zone);
    return zone;
  }

  /** For a record set: its calls fail because of the account, or because that lacks the zone. */
  of({ provider, set }: { readonly provider: object; readonly set: NamedInZone }): RecoveringAccount {
    return withZone(this.recoveryOf(provider), this.zoneOf(provider, set.name.zone));
  }

  /** With another token, what failed may be tried at once. */
  noteCredentials(provider: object): void {
    this.recoveryOf(provider).noteCredentials();
    for (const zone of this.zones.get(provider)?.values() ?? []) zone.noteCredentials();
  }
}

interface NamedInZone {
  readonly name: { readonly zone: string };
}

function withZone(account: RecoveringAccount, zone: MissingZone): RecoveringAccount {
  const { changes } = account;
  return {
    get recovered() {
      return account.recovered + zone.recovered;
    },
    get probeAt() {
      return account.probeAt;
    },
    onRecovery: (name, listener) => account.onRecovery?.(name, listener),
    ...(changes && { changes: withZone(changes, zone) }),
  };
}

/**
 * How long a name waits for its zone: with more of them longer, so that their calls have a bound; the zones share the calls.
 * @param missing the zones of all names that wait
 */
export function missingZoneSeconds(missing: readonly MissingZone[], zone: MissingZone): number {
  const ofZone = missing.filter((each) => each === zone).length;
  return Math.min(LONGEST_RETRY_MS / 2, RECORD_READS_APART_MS * new Set(missing).size * ofZone) / SECOND_MS;
}
