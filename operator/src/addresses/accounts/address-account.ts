/** One account of addresses: its inventory, and what failed when it was last asked. */

import type { IpFamily } from "cdk8s-flipop/api";
import type { Clock } from "../../clock.js";
import type { AccountInventory } from "../../inventory/account-inventory.js";
import type { Inventories } from "../../inventory/inventories.js";
import type { ResourceRef } from "../../inventory/view.js";
import type { Problem } from "../../messages/message.js";
import { AccountRecovery, type RecoveringChanges } from "../../providers/account-recovery.js";
import { type CallContext, type CallPriority, sharedRead } from "../../providers/call.js";
import { isKeyOfToken } from "../../providers/credentials.js";
import {
  type AccountError,
  isAccountError,
  isAnswer5xx,
  isProviderError,
  type ProviderError,
} from "../../providers/errors.js";
import type { ProviderSet } from "../../providers/layers/compose.js";
import type { GroupTurn } from "../../providers/layers/group-limits.js";
import type { LimitWait } from "../../providers/layers/limiter.js";
import type { AddressProvider } from "../../providers/types.js";
import { problemOf } from "../../reconcile/conditions.js";
import { afterFailure, isDue, type RetryState } from "../../reconcile/retries.js";
import { ACCOUNT_FAILURE_KEPT_MS } from "../../timings.js";
import { omitUndefined } from "../../values.js";
import { AssignmentHistory } from "./assignment-history.js";
import { type FailedCall, FailedReads, isLong, isNewKind, maxWaitMs, withoutAddress } from "./failed-reads.js";

/** More addresses than this to be read, and the list is read again: it costs less. */
export const ALONE = 3;

interface AccountTools extends Pick<ProviderSet, "longWait" | "creationTurn"> {
  readonly clock: Clock;
  readonly inventories: Inventories;
}

/** Whether the API has accepted the latest token. Lists alone do not show it: another token of the account may have read them. */
class TokenProof {
  /** Of the latest token, monotonic ms: older lists and failures do not show whether it works. */
  since = Number.NEGATIVE_INFINITY;
  private provenOf = Number.NEGATIVE_INFINITY;

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  get isGiven(): boolean {
    return this.provenOf === this.since;
  }

  replaced(): void {
    this.since = this.clock.monotonic();
  }

  /** Rejects if the API refuses a new token. */
  async give(provider: Pick<AddressProvider, "accountKey">): Promise<void> {
    const { since } = this;
    if (this.isGiven) return;
    await provider.accountKey(sharedRead("whether the new token works", "assignment"));
    this.provenOf = since;
  }
}

/** Addresses of one family through one provider. One for all who use it, so that an outage is met once. */
export class AddressAccount {
  /** Undefined until the account has been identified. */
  inventory: AccountInventory | undefined;
  private failed: ProviderError | undefined;
  private retry: RetryState | undefined;
  private failedSince = 0; // The first failure since the last answer, ms since the epoch.
  /** Of the latest failure, monotonic ms. */
  private failedAt = Number.NEGATIVE_INFINITY;
  readonly token: TokenProof;
  readonly history: AssignmentHistory;
  /** Those whose calls failed since the account was last answered. */
  private readonly failingAddresses = new Set<string>();
  private readonly failedReads: FailedReads;
  private opening: Promise<AccountInventory> | undefined;
  private settling: Promise<void> | undefined;
  private readonly recovery: AccountRecovery;
  private readonly openers = new Map<string, () => void>();

  constructor(
    readonly provider: AddressProvider,
    readonly family: IpFamily,
    private readonly tools: AccountTools,
  ) {
    this.token = new TokenProof(tools.clock);
    this.history = new AssignmentHistory(provider, tools.clock);
    this.recovery = new AccountRecovery(tools.clock);
    this.failedReads = new FailedReads(tools.clock);
  }

  /** See `Provider.accountKey`. `undefined`: not read yet, or the token does not show it. */
  get key(): string | undefined {
    const key = this.inventory?.accountKey;
    return key === undefined || isKeyOfToken(key) ? undefined : key;
  }

  /** The last call failed; until one is answered. */
  get failure(): Problem | undefined {
    return this.failed && problemOf(this.failed, "ProviderUnavailable");
  }

  /** Why the account, or a read of one of these addresses, fails; and when it is tried again, ms since the epoch. */
  troubleOf(ips: readonly string[]): { readonly failure?: Problem; readonly retryAt?: number } {
    const { failure, retryAt } = this;
    const [read] = failure === undefined ? ips.flatMap((ip) => this.failedRead(ip) ?? []) : [];
    if (read === undefined) return omitUndefined({ failure, retryAt });
    return { failure: problemOf(read.error, "ProviderUnavailable"), retryAt: read.retry.retryAt };
  }

  private failedRead(ip: string) {
    return this.failedReads.get(ip, this.inventory?.view());
  }

  /** Calls wait long for the limits of the account. */
  get longWait(): LimitWait | undefined {
    return this.tools.longWait?.("assignment");
  }

  /** See `AddressSnapshot.creationTurn`. */
  creationTurn(resource: ResourceRef): GroupTurn | undefined {
    return this.tools.creationTurn?.(this.family, resource);
  }

  /** A list is there, and the last call was answered: one that is due only looks for drift. */
  get readable(): boolean {
    return this.failed === undefined && this.failingAddresses.size === 0 && this.inventory?.complete === true;
  }

  /** Others wait no longer for what the account may have. */
  get failsForLong(): boolean {
    return this.failed !== undefined && isLong(this.failed, this.failedSince, this.retry);
  }

  /** How often the account has answered again after calls had failed: what failed because of it may be tried at once. */
  get recovered(): number {
    return this.recovery.recovered;
  }

  get changes(): RecoveringChanges {
    return this.recovery.changes;
  }

  /** Calls the listener once, when the account recovers next; again under the same name replaces it. */
  onRecovery(name: string, listener: () => void): void {
    this.recovery.onRecovery(name, listener);
  }

  /** ms since the epoch: when a failure is looked into again. */
  get retryAt(): number | undefined {
    return this.retry?.retryAt;
  }

  /**
   * Reads the whole list where it is older than this, or where the last call failed and another try is due. Never
   * rejects: see `failure`.
   */
  async refresh(maxAgeSeconds: number, priority: CallPriority): Promise<void> {
    if (this.failed !== undefined && !isDue(this.retry?.retryAt, this.tools.clock.now())) return;
    const isInDoubt = this.failed !== undefined || this.failingAddresses.size > 0;
    const since = isInDoubt ? Math.max(this.token.since, this.failedAt) : this.token.since;
    await this.noting(async () => {
      const inventory = await this.open();
      await inventory.ensure({ maxAgeSeconds, since, priority });
    });
  }

  /** Reads these alone; not one whose last read failed and is not due again. Never rejects. */
  async read(context: CallContext, ips: readonly string[]): Promise<void> {
    const { inventory } = this;
    if (inventory === undefined) return;
    const due = ips.filter((ip) => isDue(this.failedRead(ip)?.retry.retryAt, this.tools.clock.now()));
    await Promise.all(due.map((ip) => this.noting(() => inventory.read(context, ip), { of: "address", ip })));
  }

  /**
   * Reads again what a read has contradicted, when it is time to: all of the account's, since a node hangs on each, and
   * no other reader may request it. Never rejects.
   */
  async rereadUnconfirmed(context: CallContext): Promise<void> {
    const view = this.inventory?.view();
    if (view?.rereadSeconds !== 0) return;
    const ips = [...view.addresses.values()].flatMap(({ ip, unconfirmed }) => (unconfirmed ? [ip] : []));
    const settle = () => (ips.length > ALONE ? this.refresh(0, "assignment") : this.read(context, ips));
    this.settling ??= settle().finally(() => {
      this.settling = undefined;
    });
    await this.settling;
  }

  /** Called once, in the turn in which the inventory is there; before anybody decides on it. */
  whenOpen(resource: ResourceRef, listener: () => void): void {
    if (this.inventory === undefined) this.openers.set(resource.uid, listener);
    else listener();
  }

  /** The resource is gone. */
  forget(resource: ResourceRef): void {
    this.openers.delete(resource.uid);
    this.recovery.forget(resource.uid);
    this.inventory?.forget(resource);
  }

  /** The failure of a call that somebody made to the account. @param ip the address that it was about, if it was about one */
  note(error: unknown, ip?: string): void {
    if (!isAccountError(error) || (ip !== undefined && this.isOfAddress(error, ip))) return;
    this.fail(error, { of: "change" });
  }

  /** The API answers, and fails for one address alone. The next list, or a second address, shows whether the account is the cause. */
  private isOfAddress(error: AccountError, ip: string): boolean {
    if (!isAnswer5xx(error) || this.failed !== undefined) return false;
    this.failingAddresses.add(ip);
    this.failedAt = this.tools.clock.monotonic();
    return this.failingAddresses.size === 1;
  }

  /** The token is another one: what failed with the former one may be tried at once, and the next read shows whether this one works. */
  credentialsReplaced(): void {
    this.retry = undefined;
    this.token.replaced();
    this.recovery.noteCredentials();
  }

  /** The operator has released an address, so the account may have another one. */
  released(): void {
    this.recovery.noteRoom();
  }

  answered(): void {
    this.failed = undefined;
    this.retry = undefined;
    this.failingAddresses.clear();
    this.recovery.noteAnswer();
  }

  private fail(error: AccountError, { of }: FailedCall): void {
    const [read, now] = [of !== "change", this.tools.clock.now()];
    const isFirst = isNewKind(this.failed, error, this.failedAt > this.token.since);
    this.failedAt = this.tools.clock.monotonic();
    const old = this.retry !== undefined && now - this.retry.retryAt > ACCOUNT_FAILURE_KEPT_MS;
    if (read) this.recovery.noteReadFailure();
    // Many who fail at once are one failure.
    if (this.failed !== undefined && this.retry !== undefined && this.retry.retryAt > now) return;
    if (this.failed === undefined) this.failedSince = now;
    if (isFirst) this.failed = of === "list" ? error : withoutAddress(error, this.provider.name);
    const next = afterFailure(old ? undefined : this.retry, error, now);
    this.retry = { ...next, retryAt: Math.min(next.retryAt, now + maxWaitMs(error, read)) };
  }

  private async noting(call: () => Promise<unknown>, failed: FailedCall = { of: "list" }): Promise<void> {
    const { ip } = failed;
    try {
      await call();
      this.answered();
      if (ip !== undefined) this.failedReads.delete(ip);
    } catch (error) {
      if (!isProviderError(error)) throw error;
      if (!isAccountError(error)) return;
      if (ip !== undefined && this.isOfAddress(error, ip)) this.failedReads.note(ip, error);
      else this.fail(error, failed);
    }
  }

  private async open(): Promise<AccountInventory> {
    const inventory = this.inventory ?? (await this.opened());
    await this.token.give(this.provider);
    return inventory;
  }

  private async opened(): Promise<AccountInventory> {
    const { inventories } = this.tools;
    const context = sharedRead("which account it is", "assignment");
    this.opening ??= inventories.for(context, this.provider, this.family).finally(() => (this.opening = undefined));
    this.inventory = await this.opening;
    for (const listener of this.openers.values()) listener();
    this.openers.clear();
    return this.inventory;
  }
}
