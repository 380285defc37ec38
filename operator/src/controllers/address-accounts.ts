/** The accounts that addresses are in, as resources reach them: by the name of a provider, each with its inventory. */

import type { IpFamily } from "cdk8s-flipop/api";
import type { Clock } from "../clock.js";
import type { AccountInventory } from "../inventory/account-inventory.js";
import type { Inventories } from "../inventory/inventories.js";
import type { ResourceRef } from "../inventory/types.js";
import { type CallContext, type CallPriority, sharedRead } from "../providers/call.js";
import { isProviderError, type ProviderError } from "../providers/errors.js";
import { type ProviderRegistry, UnknownProviderError } from "../providers/registry.js";
import type { AddressProvider } from "../providers/types.js";
import { type Problem, problemOf } from "./problem.js";
import { afterFailure, isDue, type RetryState } from "./retry-schedule.js";

const LOST_TROUBLE_MS = 10 * 60_000;

/** Addresses of one family through one provider. One for all who use it, so that an outage is met once. */
export class AddressAccount {
  /** Undefined until the account has been told apart from others. */
  inventory: AccountInventory | undefined;
  private failed: ProviderError | undefined;
  private retry: RetryState | undefined;
  private opening: Promise<AccountInventory> | undefined;

  constructor(
    readonly provider: AddressProvider,
    readonly family: IpFamily,
    private readonly tools: { readonly clock: Clock; readonly inventories: Inventories },
  ) {}

  /** The last call failed; until one is answered. */
  get failure(): Problem | undefined {
    return this.failed === undefined ? undefined : problemOf(this.failed, "ProviderUnavailable");
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
    const oldest = this.failed === undefined ? maxAgeSeconds : 0;
    await this.noting(async () => {
      const inventory = await this.open();
      await inventory.ensure({ maxAgeSeconds: oldest, priority });
    });
  }

  /** Reads these alone. Never rejects. */
  async read(context: CallContext, ips: readonly string[]): Promise<void> {
    const { inventory } = this;
    if (inventory === undefined) return;
    await Promise.all(ips.map((ip) => this.noting(() => inventory.read(context, ip))));
  }

  /** The outcome of a call that somebody made to the account. */
  note(error: unknown): void {
    if (!isProviderError(error)) return;
    if (!TELLING.has(error.kind) || error.reason === "Cancelled") return;
    const now = this.tools.clock.now();
    const old = this.retry !== undefined && now - this.retry.retryAt > LOST_TROUBLE_MS;
    // Many who fail at once are one failure.
    if (this.failed !== undefined && this.retry !== undefined && this.retry.retryAt > now) return;
    this.failed = error;
    this.retry = afterFailure(old ? undefined : this.retry, error, now);
  }

  answered(): void {
    this.failed = undefined;
    this.retry = undefined;
  }

  private async noting(call: () => Promise<unknown>): Promise<void> {
    try {
      await call();
      this.answered();
    } catch (error) {
      if (!isProviderError(error)) throw error;
      this.note(error);
    }
  }

  private async open(): Promise<AccountInventory> {
    if (this.inventory !== undefined) return this.inventory;
    this.opening ??= this.tools.inventories.for(
      sharedRead("which account it is", "assignment"),
      this.provider,
      this.family,
    );
    try {
      this.inventory = await this.opening;
      return this.inventory;
    } finally {
      this.opening = undefined;
    }
  }
}

/** Failures of the account or the API; the others are about one address or node. */
const TELLING: ReadonlySet<ProviderError["kind"]> = new Set(["RateLimited", "Unavailable", "Unauthorized"]);

export class AddressAccounts {
  private readonly accounts = new Map<string, AddressAccount>();

  constructor(
    private readonly providers: ProviderRegistry,
    private readonly tools: { readonly clock: Clock; readonly inventories: Inventories },
  ) {}

  /** Without I/O. A problem where the provider is unknown or has no addresses (of this family). */
  find(name: string, family: IpFamily): AddressAccount | Problem {
    const key = `${name} ${family}`;
    const known = this.accounts.get(key);
    if (known !== undefined) return known;
    const provider = this.providerOf(name);
    if (!("accountKey" in provider)) return provider;
    if (!provider.capabilities.families.includes(family)) return unsupported(name, `${family} addresses`);
    const made = new AddressAccount(provider, family, this.tools);
    this.accounts.set(key, made);
    return made;
  }

  /** For `compileMatch`: `AddressCapabilities.providerIdScheme`. `undefined`: the provider is unknown. */
  schemeOf(name: string): string | undefined {
    const provider = this.providerOf(name);
    return "accountKey" in provider ? provider.capabilities.providerIdScheme : undefined;
  }

  /** The resource is gone: nothing is read for it any more. */
  forget(resource: ResourceRef): void {
    for (const { inventory } of this.accounts.values()) inventory?.forget(resource);
  }

  private providerOf(name: string): AddressProvider | Problem {
    try {
      return this.providers.get(name).addresses ?? unsupported(name, "addresses");
    } catch (error) {
      if (!(error instanceof UnknownProviderError)) throw error;
      return { reason: "UnknownProvider", message: error.message };
    }
  }
}

function unsupported(name: string, what: string): Problem {
  return { reason: "Unsupported", message: `provider "${name}" has no ${what}; use another provider` };
}
