/** Notifies resources of changes in the state that they share, and of accounts that answer again after failed reads. */

import { ACCOUNT_RECOVERIES_APART_MS } from "../bounds.js";
import type { Clock } from "../clock.js";
import type { RecoveringAccount } from "./retries.js";

/** @param uids of resources of any kind: pass over those that are not yours. */
type NotifierListener = (uids: readonly string[]) => void;

export class Notifier {
  private readonly listeners = new Set<NotifierListener>();

  notify(uids: readonly string[]): void {
    for (const listener of [...this.listeners]) listener(uids);
  }

  /** @returns the function that ends it. */
  listen(listener: NotifierListener): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }
}

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
    const recovers = this.readFailed && this.clock.monotonic() - this.recoveredAt >= ACCOUNT_RECOVERIES_APART_MS;
    this.readFailed = false;
    if (recovers) this.recover();
  }

  /** What failed with the former credentials may be tried at once. */
  noteCredentials(): void {
    this.readFailed = false;
    this.recover();
  }

  private recover(): void {
    this.recoveries += 1;
    this.recoveredAt = this.clock.monotonic();
    const listeners = [...this.listeners.values()];
    this.listeners.clear();
    for (const listener of listeners) listener();
  }
}
