/** Notifies resources of changes in the state that they share, and of accounts that answer again after failed reads. */

import { ACCOUNT_PROBE_MS, ACCOUNT_RECOVERIES_APART_MS, SECOND_MS } from "../bounds.js";
import type { Clock } from "../clock.js";
import { isAccountError } from "../providers/errors.js";
import type { RecoveringAccount } from "./retries.js";

/** @param uids of resources of any kind: pass over those that are not yours. `undefined`: all. */
type NotifierListener = (uids?: readonly string[]) => void;

export class Notifier {
  private readonly listeners = new Set<NotifierListener>();

  notify(uids: readonly string[]): void {
    for (const listener of [...this.listeners]) listener(uids);
  }

  /** What concerns each resource, such as another token. */
  notifyAll(): void {
    for (const listener of [...this.listeners]) listener();
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
  private probe: { readonly at: number; readonly everyMs: number } | undefined;
  private readonly listeners = new Map<string, () => void>();

  constructor(private readonly clock: Pick<Clock, "monotonic" | "now">) {}

  get recovered(): number {
    return this.recoveries;
  }

  get probeAt(): number | undefined {
    return this.probe?.at;
  }

  /** Calls the listener once, at the next recovery; again under the same name replaces it. */
  onRecovery(name: string, listener: () => void): void {
    this.listeners.set(name, listener);
  }

  forget(name: string): void {
    this.listeners.delete(name);
  }

  /** @param error of the account: whoever waits for it looks in turn whether it answers. @default each waits for itself */
  noteReadFailure(error?: unknown): void {
    this.readFailed = true;
    if (!isAccountError(error)) return;
    const { kind, retryAfterSeconds = 0 } = error;
    this.scheduleProbe(Math.max(ACCOUNT_PROBE_MS[kind], retryAfterSeconds * SECOND_MS));
  }

  /** A read begins: meanwhile no other one needs to look. */
  noteRead(): void {
    this.scheduleProbe(this.probe?.everyMs);
  }

  noteAnswer(): void {
    this.probe = undefined;
    const recovers = this.readFailed && this.clock.monotonic() - this.recoveredAt >= ACCOUNT_RECOVERIES_APART_MS;
    this.readFailed = false;
    if (recovers) this.recover();
  }

  /** What failed with the former credentials may be tried at once. */
  noteCredentials(): void {
    this.probe = undefined;
    this.readFailed = false;
    this.recover();
  }

  /** What a limit of the account refused may be tried at once. */
  noteRoom(): void {
    this.recover();
  }

  private scheduleProbe(everyMs: number | undefined): void {
    if (everyMs !== undefined) this.probe = { at: this.clock.now() + everyMs, everyMs };
  }

  private recover(): void {
    this.recoveries += 1;
    this.recoveredAt = this.clock.monotonic();
    const listeners = [...this.listeners.values()];
    this.listeners.clear();
    for (const listener of listeners) listener();
  }
}
