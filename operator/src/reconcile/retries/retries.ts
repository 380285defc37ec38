/**
 * When what failed may be tried again, for one resource: by lock key, and by machine where a machine is at fault. What
 * failed for the sake of an account is due as soon as that account has recovered.
 */

import { NODE_FAILURE_KEPT_MS } from "../../bounds.js";
import type { ProviderId } from "../../providers/types.js";
import { afterFailure, type Failure, isDue, type RetryState } from "./retry-schedule.js";

/** An account whose failures are failures of all who use it. */
export interface RecoveringAccount {
  /** How often it has answered again after reads had failed. */
  readonly recovered: number;
  /** Calls the listener once, at the next recovery; again under the same name replaces it. */
  onRecovery?(name: string, listener: () => void): void;
}

interface Entry {
  readonly state: RetryState;
  /** The account that failed, and how often it had recovered by then. */
  readonly account?: { readonly of: RecoveringAccount; readonly recovered: number };
}

export class Retries {
  private readonly entries = new Map<string, Entry>();
  private readonly machines = new Map<ProviderId, RetryState>();
  private generation: number | undefined;

  /** ms since the epoch: when the key may be tried; `now` where it may be tried at once. */
  dueAt(key: string, now: number): number {
    const retryAt = this.entryOf(key)?.state.retryAt;
    return retryAt === undefined || isDue(retryAt, now) ? now : retryAt;
  }

  /** Failures in a row; `undefined`: none, or its account has recovered since. */
  get(key: string): RetryState | undefined {
    return this.entryOf(key)?.state;
  }

  /** One more failure of the key. @param account the failure is the account's. */
  failed(
    key: string,
    failure: Failure,
    { now, account }: { readonly now: number; readonly account?: RecoveringAccount },
  ) {
    const state = afterFailure(this.entryOf(key)?.state, failure, now);
    const of = account === undefined ? {} : { account: { of: account, recovered: account.recovered } };
    this.entries.set(key, { state, ...of });
    return state;
  }

  succeeded(key: string): void {
    this.entries.delete(key);
  }

  machineFailed(machine: ProviderId, failure: Failure, now: number): void {
    this.machines.set(machine, afterFailure(this.machines.get(machine), failure, now));
  }

  machineSucceeded(machine: ProviderId): void {
    this.machines.delete(machine);
  }

  /** Machines that refused an address lately: not before, ms since the epoch. */
  machineRetryAt(now: number): ReadonlyMap<ProviderId, number> {
    for (const [machine, { retryAt }] of this.machines) {
      if (now - retryAt > NODE_FAILURE_KEPT_MS) this.machines.delete(machine);
    }
    return new Map([...this.machines].map(([machine, { retryAt }]) => [machine, retryAt]));
  }

  /** What waits, by key: not before, ms since the epoch. */
  retryAt(): ReadonlyMap<string, number> {
    return this.waits(() => true);
  }

  /** What waits for an account, by key. */
  accountRetryAt(): ReadonlyMap<string, number> {
    return this.waits(({ account }) => account !== undefined);
  }

  /** A person has edited the spec: what only a person could fix is tried at once. */
  followGeneration(generation: number | undefined): void {
    if (generation === this.generation) return;
    const first = this.generation === undefined;
    this.generation = generation;
    if (first) return;
    for (const [key, { state, account }] of this.entries) {
      if (state.schedule === "slow" && account === undefined) this.entries.delete(key);
    }
  }

  private waits(counts: (entry: Entry) => boolean): ReadonlyMap<string, number> {
    const keys = [...this.entries.keys()];
    return new Map(
      keys.flatMap((key) => {
        const entry = this.entryOf(key);
        return entry === undefined || !counts(entry) ? [] : [[key, entry.state.retryAt] as const];
      }),
    );
  }

  private entryOf(key: string): Entry | undefined {
    const entry = this.entries.get(key);
    if (entry?.account === undefined || entry.account.of.recovered === entry.account.recovered) return entry;
    this.entries.delete(key);
    return undefined;
  }
}
