/** What a call to a firewall needs, and the last one that failed: why, and when the operator tries again. */

import type { Reason } from "cdk8s-flipop/api";
import type { Clock } from "../clock.js";
import type { Problem } from "../messages/message.js";
import type { CallContext } from "../providers/call.js";
import { isProviderError, isWithdrawn, type ProviderError } from "../providers/errors.js";
import type { FirewallProvider } from "../providers/firewall-types.js";
import { problemOf } from "../reconcile/conditions.js";
import { afterFailure, type RecoveringAccount, type RetryState } from "../reconcile/retries.js";

/** What failed for its sake is due as soon as it has recovered. */
type Account = Pick<RecoveringAccount, "recovered">;

export interface FirewallCaller {
  readonly provider: FirewallProvider;
  readonly context: CallContext;
  readonly account?: Account;
}

interface Failed {
  readonly error: ProviderError;
  readonly retry: RetryState;
  /** The account, and how often it had recovered by then. */
  readonly account?: { readonly of: Account; readonly recovered: number };
}

export interface FailureView {
  readonly failure?: Problem;
  /** ms since the epoch: not before. Absent: at once. */
  readonly retryAt?: number;
}

export class FirewallFailures {
  private last: Failed | undefined;
  /** Of changes, until one succeeds: each refusal leads to a reading, and they would never wait longer. */
  private ofChanges: RetryState | undefined;

  constructor(
    private readonly clock: Pick<Clock, "now">,
    private readonly reason: Reason,
  ) {}

  get failing(): boolean {
    return this.last !== undefined;
  }

  /** @returns whether it says something about the firewall. */
  note(error: unknown, account: Account | undefined, isChange: boolean): boolean {
    if (!isProviderError(error) || isWithdrawn(error)) return false;
    const retry = afterFailure(this.last?.retry ?? this.ofChanges, error, this.clock.now());
    if (isChange) this.ofChanges = retry;
    this.last = { error, retry, ...(account && { account: { of: account, recovered: account.recovered } }) };
    return true;
  }

  clear(isChange: boolean): void {
    this.last = undefined;
    if (isChange) this.ofChanges = undefined;
  }

  view(): FailureView {
    if (this.last === undefined) return {};
    const { error, retry, account } = this.last;
    const failure = problemOf(error, this.reason);
    const recovered = account !== undefined && account.of.recovered !== account.recovered;
    return recovered ? { failure } : { failure, retryAt: retry.retryAt };
  }
}
