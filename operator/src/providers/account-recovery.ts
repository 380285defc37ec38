/** Notifies resources of changes in the state that they share, and of accounts that answer again after failed calls. */

import type { Clock } from "../clock.js";
import { ACCOUNT_PROBE_MS, ACCOUNT_RECOVERIES_APART_MS, SECOND_MS } from "../timings.js";
import { type AccountError, isAccountError, isProviderError, isWithdrawn } from "./errors.js";

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

/** An account whose failures are failures of all who use it. */
export interface RecoveringAccount {
  /** How often it has answered again after calls had failed. */
  readonly recovered: number;
  /** ms since the epoch: those that failed because of it wait no longer, so that one of them finds out when it answers again. */
  readonly probeAt?: number | undefined;
  /** Calls the listener once, at the next recovery; again under the same name replaces it. */
  onRecovery?(name: string, listener: () => void): void;
  /** Of its changes: they may fail while reads are answered. @default the same */
  readonly changes?: RecoveringAccount;
}

/** A failure because of an account waits no longer than until the account's next probe. */
export function untilProbe<T extends { readonly retryAt?: number }>(
  failure: T,
  { probeAt = Number.POSITIVE_INFINITY }: Pick<RecoveringAccount, "probeAt"> = {},
): T {
  return failure.retryAt === undefined || failure.retryAt <= probeAt ? failure : { ...failure, retryAt: probeAt };
}

/** Calls of one sort, reads or changes, that fail because of their account. */
class FailingCalls {
  private failed = false;
  /** When one of those that wait looks whether the account answers again. */
  private probe: { readonly at: number; readonly everyMs: number } | undefined;

  constructor(private readonly clock: Pick<Clock, "now">) {}

  get probeAt(): number | undefined {
    return this.probe?.at;
  }

  noteFailure(everyMs: number | undefined): void {
    this.failed = true;
    this.scheduleProbe(everyMs);
  }

  /** A call begins: meanwhile no other one needs to look. */
  noteAttempt(): void {
    this.scheduleProbe(this.probe?.everyMs);
  }

  /** @returns whether one had failed. */
  noteAnswer(): boolean {
    const { failed } = this;
    this.probe = undefined;
    this.failed = false;
    return failed;
  }

  private scheduleProbe(everyMs: number | undefined): void {
    if (everyMs !== undefined) this.probe = { at: this.clock.now() + everyMs, everyMs };
  }
}

/** The changes of an account, which it may refuse while it answers reads. */
export interface RecoveringChanges extends RecoveringAccount {
  /** Sends one. What others wait for may be over once it is answered. */
  send<T>(change: () => Promise<T>): Promise<T>;
}

export class AccountRecovery implements RecoveringAccount {
  /** What failed as a change waits for these, or until reads succeed again. */
  readonly changes: RecoveringChanges;
  private recoveries = 0;
  private recoveredAt = Number.NEGATIVE_INFINITY;
  private readonly failingReads: FailingCalls;
  private readonly failingChanges: FailingCalls;
  private readonly listeners = new Map<string, () => void>();

  constructor(private readonly clock: Pick<Clock, "monotonic" | "now">) {
    const failingChanges = new FailingCalls(clock);
    const recovered = () => this.recoveries;
    this.failingReads = new FailingCalls(clock);
    this.failingChanges = failingChanges;
    this.changes = {
      get recovered() {
        return recovered();
      },
      get probeAt() {
        return failingChanges.probeAt;
      },
      onRecovery: (name, listener) => this.onRecovery(name, listener),
      send: (change) => this.sendChange(change),
    };
  }

  get recovered(): number {
    return this.recoveries;
  }

  get probeAt(): number | undefined {
    return this.failingReads.probeAt;
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
    this.failingReads.noteFailure(isAccountError(error) ? probeMs(error) : undefined);
  }

  noteRead(): void {
    this.failingReads.noteAttempt();
  }

  /** A read, or a change, was answered. */
  noteAnswer(): void {
    if (this.failingReads.noteAnswer()) this.recoverAgain();
  }

  /** What failed with the former credentials may be tried at once. */
  noteCredentials(): void {
    this.failingReads.noteAnswer();
    this.failingChanges.noteAnswer();
    this.recover();
  }

  /** What a limit of the account refused may be tried at once. */
  noteRoom(): void {
    this.recover();
  }

  private async sendChange<T>(change: () => Promise<T>): Promise<T> {
    this.failingChanges.noteAttempt();
    try {
      const result = await change();
      this.noteChangeAnswer();
      return result;
    } catch (error) {
      this.noteChangeFailure(error);
      throw error;
    }
  }

  /** An error that was withdrawn, or withheld, says nothing. */
  private noteChangeFailure(error: unknown): void {
    if (!isProviderError(error) || isWithdrawn(error)) return;
    if (isAccountError(error)) {
      // A refused token is no outage: each look would write the next time of the slow schedule to all statuses.
      this.failingChanges.noteFailure(error.kind === "Unauthorized" ? undefined : probeMs(error));
    } else if (error.outcome === "refused") this.noteChangeAnswer();
  }

  private noteChangeAnswer(): void {
    if (this.failingChanges.noteAnswer()) this.recoverAgain();
  }

  private recoverAgain(): void {
    if (this.clock.monotonic() - this.recoveredAt >= ACCOUNT_RECOVERIES_APART_MS) this.recover();
  }

  private recover(): void {
    this.recoveries += 1;
    this.recoveredAt = this.clock.monotonic();
    const listeners = [...this.listeners.values()];
    this.listeners.clear();
    for (const listener of listeners) listener();
  }
}

function probeMs({ kind, retryAfterSeconds = 0 }: AccountError): number {
  return Math.max(ACCOUNT_PROBE_MS[kind], retryAfterSeconds * SECOND_MS);
}
