/** Machines that a firewall refused: each waits for its own next try, so that it does not keep others out of the firewall. */

import type { Problem } from "../../messages/message.js";
import { isProviderError, isWithdrawn, type ProviderError } from "../../providers/errors.js";
import type { ProviderId } from "../../providers/types.js";
import { problemOf } from "../../reconcile/conditions.js";
import { afterFailure, type RetryState } from "../../reconcile/retries.js";
import { NODE_FAILURE_KEPT_MS } from "../../timings.js";

export interface RefusedMachine {
  readonly problem: Problem;
  /** ms since the epoch. */
  readonly failedAt: number;
  /** Not before, ms since the epoch. */
  readonly retryAt: number;
}

export class RefusedMachines {
  private readonly all = new Map<ProviderId, { readonly refused: RefusedMachine; readonly retry: RetryState }>();
  /** Those that were refused since a machine has joined. */
  private readonly inARow = new Set<ProviderId>();

  /** @returns whether the machine alone may be the cause: with a second one in a row, the firewall may be. */
  note(error: unknown, machine: ProviderId, now: number): boolean {
    if (!mayBeOfMachine(error)) return false;
    const retry = afterFailure(this.all.get(machine)?.retry, error, now);
    const { retryAt } = retry;
    const refused = { problem: problemOf(error, "FirewallNotFound"), failedAt: now, retryAt };
    this.all.set(machine, { refused, retry });
    this.inARow.add(machine);
    return this.inARow.size === 1;
  }

  joined(machines: readonly ProviderId[]): void {
    if (machines.length === 0) return;
    this.inARow.clear();
    for (const machine of machines) this.all.delete(machine);
  }

  view(now: number): ReadonlyMap<ProviderId, RefusedMachine> {
    for (const [machine, { refused }] of this.all) {
      if (now - refused.retryAt <= NODE_FAILURE_KEPT_MS) continue;
      this.all.delete(machine);
      this.inARow.delete(machine);
    }
    return new Map([...this.all].map(([machine, { refused }]) => [machine, refused]));
  }
}

/** The answer says neither that the firewall, the account or the token is the cause, nor that the API is down. */
export function mayBeOfMachine(error: unknown): error is ProviderError {
  if (!isProviderError(error) || isWithdrawn(error)) return false;
  return (error.kind === "Terminal" && error.outcome === "refused") || error.status === INTERNAL_ERROR;
}

const INTERNAL_ERROR = 500;
