/** All firewalls that this process keeps in step: one entry for each account and name, with one writer. */

import type { FirewallRule } from "cdk8s-flipop/api";
import { FIREWALL_MAX_AGE_SECONDS, FIREWALL_SHARED_SECONDS, FIREWALL_STALE_SECONDS, SECOND_MS } from "../bounds.js";
import type { Clock } from "../clock.js";
import { errorText } from "../logging.js";
import type { CallContext } from "../providers/call.js";
import { isWithdrawn } from "../providers/decision.js";
import { isProviderError, type ProviderError } from "../providers/errors.js";
import { isEmptyChange, ruleKey } from "../providers/firewall-changes.js";
import type {
  CreateFirewall,
  FirewallChange,
  FirewallFacts,
  FirewallProvider,
  ProviderId,
} from "../providers/types.js";
import { type Problem, problemOf } from "../reconcile/conditions/problem.js";
import { AccountRecovery } from "../reconcile/retries/account-recovery.js";
import type { RecoveringAccount } from "../reconcile/retries/retries.js";
import { afterFailure, type RetryState } from "../reconcile/retries/retry-schedule.js";
import { ruleFacts } from "./ports.js";

/** What a RoutedIP has on record: the rules that it needs, and the machines that it (too) has put there. */
export interface Recorded {
  readonly rules: readonly FirewallRule[];
  readonly nodes: readonly ProviderId[];
}

const NO_RECORD: Recorded = { rules: [], nodes: [] };

export interface FirewallView {
  readonly facts: FirewallFacts | "unknown" | "missing";
  readonly coveredBy: ReadonlyMap<ProviderId, readonly string[]>;
  readonly failure?: Problem;
  readonly retryAt?: number;
  /** The firewall has to be read again before the next change; until then `facts` are those of the last reading. */
  readonly due?: true;
  /** ms from now until the firewall is due. Absent: it is due, or was never read. */
  readonly dueInMs?: number;
}

export interface FirewallCaller {
  readonly provider: FirewallProvider;
  readonly context: CallContext;
  /** What failed for its sake is due as soon as it has recovered. */
  readonly account?: Pick<RecoveringAccount, "recovered">;
}

interface Failed {
  readonly error: ProviderError;
  readonly retry: RetryState;
  /** The account, and how often it had recovered by then. */
  readonly account?: { readonly of: Pick<RecoveringAccount, "recovered">; readonly recovered: number };
}

export class SharedFirewall {
  private facts: FirewallFacts | "missing" | undefined;
  private readAt = Number.NEGATIVE_INFINITY;
  /** A list that is older may not show it, whichever token it was read with. */
  private writtenAt = Number.NEGATIVE_INFINITY;
  private readonly covered = new Map<ProviderId, { readonly by: readonly string[]; readonly at: number }>();
  private readonly shares = new Map<string, Recorded>();
  private failed: Failed | undefined;
  /** Whoever waits for the firewall may go on when it answers again. */
  readonly recovery: AccountRecovery;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    readonly name: string,
    private readonly clock: Clock,
  ) {
    this.recovery = new AccountRecovery(clock);
  }

  view(): FirewallView {
    const age = this.clock.monotonic() - this.readAt;
    const left = FIREWALL_MAX_AGE_SECONDS * SECOND_MS - age;
    const stale = age >= FIREWALL_STALE_SECONDS * SECOND_MS;
    const fresh = [...this.covered].filter(([, { at }]) => this.isFresh(at));
    return {
      facts: this.facts === undefined || stale ? "unknown" : this.facts,
      coveredBy: new Map(fresh.map(([node, { by }]) => [node, by])),
      ...(this.failed === undefined ? {} : failureOf(this.failed)),
      ...(left > 0 ? { dueInMs: left } : { due: true as const }),
    };
  }

  /** What a RoutedIP has on record here; in force before it is written. */
  record(uid: string, recorded: Recorded): void {
    if (recorded.rules.length + recorded.nodes.length === 0) this.shares.delete(uid);
    else this.shares.set(uid, recorded);
  }

  others(uid: string): readonly Recorded[] {
    return [...this.shares].filter(([other]) => other !== uid).map(([, recorded]) => recorded);
  }

  /** Rejects as the provider does; the view shows a ProviderError until a call succeeds. */
  read(caller: FirewallCaller, nodes: readonly ProviderId[]): Promise<void> {
    return this.inTurn(() => this.readNow(caller, nodes));
  }

  /** One that another RoutedIP has made meanwhile is taken as it is. */
  create(caller: FirewallCaller, desired: CreateFirewall): Promise<FirewallFacts> {
    return this.inTurn(async () => {
      if (this.facts !== undefined && this.facts !== "missing") return this.facts;
      const made = await this.writing(caller, ({ provider, context }) => provider.create(context, desired));
      this.take(made);
      return made;
    });
  }

  /** Adds what is still missing, and removes what no resource needs now. */
  apply(caller: FirewallCaller, uid: string, change: FirewallChange): Promise<void> {
    return this.inTurn(async () => {
      const { facts } = this;
      if (facts === undefined || facts === "missing") return;
      const now = this.still(facts, uid, change);
      if (isEmptyChange(now)) return;
      try {
        await this.writing(caller, ({ provider, context }) => provider.apply(context, now));
        this.take(changed(facts, now));
      } catch (error) {
        // It is unknown how much of it was done.
        this.facts = undefined;
        throw error;
      }
    });
  }

  remove(caller: FirewallCaller, firewall: Pick<FirewallFacts, "id" | "name">): Promise<void> {
    return this.inTurn(async () => {
      await this.writing(caller, ({ provider, context }) => provider.remove(context, firewall));
      this.take("missing");
    });
  }

  private async readNow(caller: FirewallCaller, nodes: readonly ProviderId[]): Promise<void> {
    const known = nodes.every((node) => this.has(node) || this.isFresh(this.covered.get(node)?.at));
    if (this.facts !== undefined && known && this.isFresh(this.readAt) && this.failed === undefined) return;
    const before = this.clock.monotonic();
    const sinceWrite = (before - this.writtenAt) / SECOND_MS;
    const maxAge = Math.min(FIREWALL_SHARED_SECONDS, sinceWrite);
    const { firewall, coveredBy, ageSeconds } = await this.noting(caller, ({ provider, context }) =>
      provider.survey(context, this.name, nodes, maxAge),
    );
    const at = before - ageSeconds * SECOND_MS;
    this.facts = firewall ?? "missing";
    this.readAt = at;
    for (const [node, by] of coveredBy) this.covered.set(node, { by, at });
    for (const [node, { at: seen }] of this.covered) if (!this.isFresh(seen)) this.covered.delete(node);
  }

  /** Other firewalls of a machine that is in it already do not matter. */
  private has(node: ProviderId): boolean {
    return this.facts !== undefined && this.facts !== "missing" && this.facts.nodes.includes(node);
  }

  private still(facts: FirewallFacts, uid: string, change: FirewallChange): FirewallChange {
    const present = new Set(facts.rules.map(ruleKey));
    const others = this.others(uid);
    const needed = new Set(
      others.flatMap(({ rules }) =>
        rules.filter(({ phase }) => phase !== "removing").map((rule) => ruleKey(ruleFacts(rule))),
      ),
    );
    const nodes = new Set(others.flatMap((other) => other.nodes));
    return {
      ...change,
      addRules: change.addRules.filter((rule) => !present.has(ruleKey(rule))),
      addNodes: change.addNodes.filter((node) => !facts.nodes.includes(node)),
      removeRules: change.removeRules.filter((rule) => present.has(ruleKey(rule)) && !needed.has(ruleKey(rule))),
      removeNodes: change.removeNodes.filter((node) => facts.nodes.includes(node) && !nodes.has(node)),
    };
  }

  private take(facts: FirewallFacts | "missing"): void {
    this.facts = facts;
  }

  private isFresh(at: number | undefined): boolean {
    return at !== undefined && this.clock.monotonic() - at < FIREWALL_MAX_AGE_SECONDS * SECOND_MS;
  }

  private async writing<T>(caller: FirewallCaller, call: (caller: FirewallCaller) => Promise<T>): Promise<T> {
    try {
      return await this.noting(caller, call);
    } finally {
      this.writtenAt = this.clock.monotonic();
    }
  }

  private async noting<T>(caller: FirewallCaller, call: (caller: FirewallCaller) => Promise<T>): Promise<T> {
    try {
      const result = await call(caller);
      this.failed = undefined;
      this.recovery.noteAnswer();
      return result;
    } catch (error) {
      if (isProviderError(error) && !isWithdrawn(error)) this.fail(error, caller);
      throw error;
    }
  }

  private fail(error: ProviderError, { account }: FirewallCaller): void {
    const retry = afterFailure(this.failed?.retry, error, this.clock.now());
    this.failed = { error, retry, ...(account && { account: { of: account, recovered: account.recovered } }) };
    this.recovery.noteReadFailure();
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const iteration = this.last.then(work);
    this.last = iteration.catch((error: unknown) => errorText(error));
    return iteration;
  }
}

export class FirewallRegistry {
  private readonly accounts = new Map<unknown, Map<string, SharedFirewall>>();

  constructor(private readonly clock: Clock) {}

  /** @param account compared by identity. */
  of(account: unknown, name: string): SharedFirewall {
    const known = this.accounts.get(account) ?? new Map<string, SharedFirewall>();
    this.accounts.set(account, known);
    const firewall = known.get(name) ?? new SharedFirewall(name, this.clock);
    known.set(name, firewall);
    return firewall;
  }

  /** The RoutedIP is gone. */
  drop(uid: string): void {
    for (const firewalls of this.accounts.values())
      for (const firewall of firewalls.values()) {
        firewall.record(uid, NO_RECORD);
        firewall.recovery.forget(uid);
      }
  }
}

/** What failed for the sake of an account that has recovered since is due. */
function failureOf({ error, retry, account }: Failed): Pick<FirewallView, "failure" | "retryAt"> {
  const failure = problemOf(error, "FirewallNotFound");
  const recovered = account !== undefined && account.of.recovered !== account.recovered;
  return recovered ? { failure } : { failure, retryAt: retry.retryAt };
}

function changed(facts: FirewallFacts, change: FirewallChange): FirewallFacts {
  const removed = new Set(change.removeRules.map(ruleKey));
  const rules = [...facts.rules, ...change.addRules].filter((rule) => !removed.has(ruleKey(rule)));
  const nodes = [...new Set([...facts.nodes, ...change.addNodes])].filter((node) => !change.removeNodes.includes(node));
  return { ...facts, rules, nodes };
}
