/** What the last call for a record set failed for, where others fail for the same: its account, or a zone that is missing there. */

import type { RecoveringAccount } from "./account-recovery.js";
import { isAccountError, type ProviderError } from "./errors.js";
import type { MissingZone, RecordAccounts } from "./record-accounts.js";

export class FailureCause {
  /** And how often it had recovered by then. */
  private failed: { readonly of: RecoveringAccount; readonly recovered: number } | undefined;

  /** @param zone as in the resource */
  constructor(
    private readonly zone: string,
    private readonly accounts: RecordAccounts,
  ) {}

  get probe(): Pick<RecoveringAccount, "probeAt"> | undefined {
    return this.failed?.of;
  }

  zoneOf(provider: object): MissingZone {
    return this.accounts.zoneOf(provider, this.zone);
  }

  /** A read, or a change, succeeded. */
  noteSuccess(provider: object): void {
    this.accounts.recoveryOf(provider).noteAnswer();
    this.zoneOf(provider).noteFound();
  }

  noteFailure(error: ProviderError, provider: object, read: boolean): void {
    const recovery = this.accounts.recoveryOf(provider);
    const ofAccount = isAccountError(error);
    if (ofAccount && read) recovery.noteReadFailure(error);
    // Whoever refuses a read for another reason answers.
    else if (read && error.outcome === "refused") recovery.noteAnswer();
    const ofCall = read ? recovery : recovery.changes;
    const of = ofAccount ? ofCall : this.missingZone(error, provider);
    this.failed = of && { of, recovered: of.recovered };
  }

  private missingZone({ kind }: ProviderError, provider: object): MissingZone | undefined {
    if (kind !== "NotFound") return undefined;
    const zone = this.zoneOf(provider);
    zone.noteMissing();
    return zone;
  }

  /** @returns whether it has gone since the last call, once. */
  takeRecovery(): boolean {
    const { failed } = this;
    if (failed === undefined || failed.of.recovered === failed.recovered) return false;
    this.failed = undefined;
    return true;
  }
}
