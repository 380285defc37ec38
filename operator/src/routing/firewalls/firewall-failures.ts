/** What a call to a firewall needs, and the last one that failed: why, and when the operator tries again. */

import type { Reason } from "cdk8s-flipop/api";
import type { Clock } from "../../clock.js";
import type { Problem } from "../../messages/message.js";
import { type RecoveringAccount, untilProbe } from "../../providers/account-recovery.js";
import type { CallContext } from "../../providers/call.js";
import { isProviderError, isWithdrawn, type ProviderError, type ProviderErrorKind } from "../../providers/errors.js";
import type { FirewallChange, FirewallProvider } from "../../providers/firewall-types.js";
import { problemOf } from "../../reconcile/conditions.js";
import { afterFailure, isDue, type RetryState } from "../../reconcile/retries.js";
import { CHANGE_FAILURE_KEPT_MS } from "../../timings.js";

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
  readonly ofRead: boolean;
  /** Only what was to be added was refused. */
  readonly ofAddition: boolean;
  /** The account, and how often it had recovered by then. */
  readonly account?: { readonly of: Account; readonly recovered: number };
}

export type FirewallCallKind = "read" | "addition" | "removal";

/** They concern removals as well. */
const OF_ALL_CALLS: ReadonlySet<ProviderErrorKind> = new Set(["Unauthorized", "RateLimited"]);

export interface FailureView {
  readonly failure?: Problem;
  /** A removal does not wait for it. */
  readonly ofAddition?: true;
  /** ms since the epoch: not before. Absent: at once. */
  readonly retryAt?: number;
  /** Of the last change: it counts until one succeeds, also while the firewall is read, or the change is tried again. */
  readonly ofChange?: Problem;
}

export class FirewallFailures {
  private last: Failed | undefined;
  /** Of changes, until one succeeds: each refusal leads to a reading, and they would never wait longer. */
  private ofChanges: RetryState | undefined;
  private refusal:
    | { readonly error: ProviderError; readonly call: FirewallCallKind; readonly until: number }
    | undefined;

  constructor(
    private readonly clock: Pick<Clock, "now">,
    private readonly reason: Reason,
    /** What fails because of the account waits no longer than until its next probe. @default it waits as long as it must */
    private readonly recovery: Pick<RecoveringAccount, "probeAt" | "changes"> = {},
  ) {}

  get failing(): boolean {
    return this.last !== undefined;
  }

  /** @returns whether it says something about the firewall. */
  note(error: unknown, account: Account | undefined, call: FirewallCallKind): boolean {
    if (!isProviderError(error) || isWithdrawn(error)) return false;
    // All who waited for one read have its failure: it counts once.
    if (error === this.last?.error) return true;
    const retry = afterFailure(this.last?.retry ?? this.ofChanges, error, this.clock.now());
    if (call !== "read") this.noteChange(error, call, retry);
    const ofAddition = call === "addition" && !OF_ALL_CALLS.has(error.kind);
    this.last = {
      error,
      retry,
      ofRead: call === "read",
      ofAddition,
      ...(account && { account: { of: account, recovered: account.recovered } }),
    };
    return true;
  }

  private noteChange(error: ProviderError, call: FirewallCallKind, retry: RetryState): void {
    this.ofChanges = retry;
    // A resource counts failures of its own, and may wait longer than the firewall does.
    this.refusal = { error, call, until: retry.retryAt + CHANGE_FAILURE_KEPT_MS };
  }

  /** A read or a removal that succeeds says nothing of an addition that waits. */
  clear(call: FirewallCallKind): void {
    if (call === "addition" || call === this.refusal?.call) this.refusal = undefined;
    const waits = this.last?.ofAddition === true && !isDue(this.view().retryAt, this.clock.now());
    if (call !== "addition" && waits) return;
    this.last = undefined;
    if (call !== "read") this.ofChanges = undefined;
  }

  view(): FailureView {
    const { refusal, reason } = this;
    const isRecent = refusal !== undefined && this.clock.now() < refusal.until;
    return { ...this.lastView(), ...(isRecent && { ofChange: problemOf(refusal.error, reason) }) };
  }

  private lastView(): FailureView {
    if (this.last === undefined) return {};
    const { error, retry, account, ofAddition, ofRead } = this.last;
    const { recovery } = this;
    const failure = { failure: problemOf(error, this.reason), ...(ofAddition && { ofAddition }) };
    const recovered = account !== undefined && account.of.recovered !== account.recovered;
    return recovered
      ? failure
      : untilProbe({ ...failure, retryAt: retry.retryAt }, ofRead ? recovery : recovery.changes);
  }
}

/** Whether changes were withdrawn before anything of the last one was sent. A provider sends each part of a change on its own. */
export function isNothingSent(error: unknown, changes: readonly FirewallChange[]): boolean {
  if (!isProviderError(error) || !isWithdrawn(error) || error.outcome !== "not-sent") return false;
  return changes.every(({ addRules, addNodes, removeRules, removeNodes }) => {
    const parts = [addRules, addNodes, removeRules, removeNodes];
    return parts.filter(({ length }) => length > 0).length <= 1;
  });
}
