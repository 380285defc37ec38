/** Notices that an account answers again after reads had failed: what failed for its sake is retried at once. */

import { ACCOUNT_RECOVERIES_APART_MS } from "../../bounds.js";
import type { Clock } from "../../clock.js";
import type { RecoveringAccount } from "./retries.js";

export class AccountRecovery implements RecoveringAccount {
  private recoveries = 0;
  /** A read failed: it is the account, not one address or record set. */
  private readFailed = false;
  private recoveredAt = Number.NEGATIVE_INFINITY;
  private readonly listeners = new Map<string, () => void>();

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  get recovered(): number {
    return this.recoveries;
  }

  /** Calls the listener once, at the next recovery; again under the same name replaces it. */
  onRecovery(name: string, listener: () => void): void {
    this.listeners.set(name, listener);
  }

  forget(name: string): void {
    this.listeners.delete(name);
  }

  noteReadFailure(): void {
    this.readFailed = true;
  }

  noteAnswer(): void {
    const now = this.clock.monotonic();
    const recovers = this.readFailed && now - this.recoveredAt >= ACCOUNT_RECOVERIES_APART_MS;
    this.readFailed = false;
    if (!recovers) return;
    this.recoveries += 1;
    this.recoveredAt = now;
    const listeners = [...this.listeners.values()];
    this.listeners.clear();
    for (const listener of listeners) listener();
  }
}
