/** One firewall that RoutedIPs share, with one writer: what was read of it, and the calls that change it. */

import type { Clock } from "../../clock.js";
import { errorText } from "../../logging.js";
import { AccountRecovery } from "../../providers/account-recovery.js";
import { isProviderError, supersededError } from "../../providers/errors.js";
import type { CreateFirewall, FirewallChange, FirewallFacts, FirewallSurvey } from "../../providers/firewall-types.js";
import type { ProviderId } from "../../providers/types.js";
import { omitUndefined } from "../../values.js";
import {
  changedFacts,
  changesFor,
  type Extension,
  type GroupView,
  isEmpty,
  UnansweredCreations,
  wholeOf,
} from "./additional-firewalls.js";
import { FirewallCoverage } from "./firewall-coverage.js";
import { type FirewallCaller, FirewallFailures, isNothingSent } from "./firewall-failures.js";
import { NO_RECORD } from "./firewall-shares.js";
import type { FirewallView } from "./firewall-snapshot.js";
import { type Additions, additionsOf, FirewallTurns, isPresent } from "./firewall-turns.js";
import { keysOf, type PartKey } from "./own-firewall-writes.js";
import { RecordedFirewall } from "./recorded-firewall.js";
import { RefusedMachines } from "./refused-machines.js";

const NOT_FOUND = 404;

type Call<T> = (caller: FirewallCaller) => Promise<T>;

export class SharedFirewall extends RecordedFirewall {
  readonly unanswered = new UnansweredCreations();
  private readonly coverage: FirewallCoverage;
  private readonly failures: FirewallFailures;
  private readonly refused = new RefusedMachines();
  /** Whoever waits for the firewall may go on when it answers again. */
  readonly recovery: AccountRecovery;
  private readonly turns = new FirewallTurns();

  constructor(name: string, clock: Clock, isNamed: (name: string) => boolean = () => false) {
    super(name, clock, isNamed);
    this.recovery = new AccountRecovery(clock);
    this.coverage = new FirewallCoverage(clock);
    this.failures = new FirewallFailures(clock, "FirewallNotFound", this.recovery);
  }

  view(): FirewallView {
    const { leftMs, isStale } = this.age;
    return {
      facts: this.facts === undefined || isStale ? "unknown" : this.whole(this.facts),
      ...this.coverage.view(),
      refused: this.refused.view(this.clock.now()),
      ...{ reverts: this.own.reverts, taken: this.own.taken },
      ...(this.former.name === undefined ? {} : { renamed: this.former.name }),
      ...this.failures.view(),
      ...(leftMs > 0 ? { dueInMs: leftMs } : { due: true as const }),
      ...(this.turns.crowded ? { crowded: true as const } : {}),
    };
  }

  /** @param limit machines of one firewall. */
  group(limit: number): GroupView | undefined {
    const { facts } = this;
    return isPresent(facts) ? this.additional.view(facts, limit) : undefined;
  }

  /** The additional ones, read lately. */
  additionalOnes(): readonly FirewallFacts[] | undefined {
    const { failure, due } = this.view();
    return this.facts === undefined || failure !== undefined || due === true ? undefined : this.additional.created;
  }

  /** The resource is gone. */
  drop(uid: string): void {
    this.shares.set(uid, NO_RECORD);
    this.late.forget(uid, this.name);
    this.recovery.forget(uid);
  }

  /** Rejects as the provider does; the view shows a ProviderError until a call succeeds. */
  read(caller: FirewallCaller, nodes: readonly ProviderId[]): Promise<void> {
    return this.turns.take(nodes, () => this.readNow(caller, nodes));
  }

  /** One that another RoutedIP has made meanwhile is taken as it is. */
  create(caller: FirewallCaller, desired: CreateFirewall): Promise<FirewallFacts> {
    return this.turns.take(desired.nodes, async () => {
      if (isPresent(this.facts)) return this.facts;
      await this.confirm(caller, desired.nodes, `create firewall ${desired.name}`);
      // Somebody may have created it during the wait.
      if (isPresent(this.facts)) return this.facts;
      const create = ({ provider, context }: FirewallCaller) => provider.create(context, desired);
      const made = await this.writing(caller, create, desired.nodes);
      this.own.created(made);
      this.late.isThere(made.name);
      this.facts = made;
      return made;
    });
  }

  /** Adds what is still missing, and removes what no resource needs now. @returns whether all nodes are in it now. */
  apply(caller: FirewallCaller, uid: string, change: FirewallChange): Promise<boolean> {
    return this.turns.take(change.addNodes, async () => {
      await this.confirm(caller, change.addNodes, `change firewall ${change.name}`);
      const { facts } = this;
      if (!isPresent(facts)) return false;
      const group = this.additional.groupOf(facts);
      const now = this.shares.still(wholeOf(group), uid, change);
      const { changes, homeless } = changesFor(group, now, caller.provider.capabilities.nodesPerFirewall);
      try {
        for (const each of changes) await this.change(caller, each);
      } catch (error) {
        if (isNothingSent(error, changes)) {
          this.age.expire();
          throw error;
        }
        const isGone = isProviderError(error) && error.status === NOT_FOUND;
        for (const { id } of changes) isGone ? this.own.forget(id) : this.own.unsure(id);
        if (isGone) for (const { name } of changes) this.late.isGone(name);
        // It is unknown how much of it was done.
        this.facts = undefined;
        throw error;
      }
      return homeless.length === 0;
    });
  }

  /** Creates an additional one. @returns whether it was still needed. */
  extend(caller: FirewallCaller, extension: Extension): Promise<boolean> {
    const { name, nodes } = extension;
    return this.turns.take(nodes, async () => {
      if (!this.isNext(caller, name)) return false;
      // Before it is on record: an issuer that has a new record makes all its RoutedIPs plan again.
      await this.confirm(caller, nodes, `create firewall ${name}`);
      const { facts } = this;
      if (!isPresent(facts) || !this.isNext(caller, name)) return false;
      try {
        this.own.created(await this.additional.create(caller, facts, extension));
        this.late.isThere(name);
      } finally {
        this.age.wrote();
      }
      return true;
    });
  }

  private isNext({ provider }: FirewallCaller, name: string): boolean {
    const { room, next } = this.group(provider.capabilities.nodesPerFirewall) ?? {};
    return room === 0 && next === name;
  }

  /** Removes an additional one that is still empty when it is read again. @returns whether it is gone. */
  removeAdditional(caller: FirewallCaller, { id }: Pick<FirewallFacts, "id">): Promise<boolean> {
    return this.turns.take([], async () => {
      const found = (await this.readAnew(caller)).find((each) => each.id === id);
      if (found !== undefined && !isEmpty(found)) return false;
      if (found !== undefined)
        await this.writing(caller, ({ provider, context }) => provider.remove(context, found), "removal");
      this.own.removed(id);
      if (found !== undefined) this.late.isGone(found.name);
      this.additional.removed(id);
      return true;
    });
  }

  /** Removes it if it is still empty when it is read again: others may have put something into it. @returns whether it has removed it. */
  remove(caller: FirewallCaller, { id }: Pick<FirewallFacts, "id">): Promise<boolean> {
    return this.turns.take([], async () => {
      // After a change that failed, it may have what the change was to add.
      if (this.facts === undefined) return false;
      const found = (await this.readAnew(caller)).find((each) => each.id === id);
      if (found === undefined || !isEmpty(found) || found.rules.length > 0) return false;
      await this.writing(caller, ({ provider, context }) => provider.remove(context, found), "removal");
      this.own.removed(id);
      this.late.isGone(this.name);
      this.facts = "missing";
      return true;
    });
  }

  async readAnew(caller: FirewallCaller): Promise<readonly FirewallFacts[]> {
    const { seen, at } = await this.list(caller, []);
    return this.takeListed(seen, at);
  }

  /** What was read before the call waited may be too old now. Rejects if the call is not wanted any more. */
  private async confirm(caller: FirewallCaller, nodes: readonly ProviderId[], subject: string): Promise<void> {
    const { context, provider } = caller;
    const because = () => context.recheck?.();
    if (this.age.isFresh && because() === undefined) return;
    // A reading that fails is on record; whether the call can be made without it, the plan says.
    if (!this.failures.failing) await this.readNow(caller, nodes).catch((error: unknown) => errorText(error));
    const left = because();
    if (left !== undefined) throw supersededError({ provider: provider.name, subject }, left);
  }

  private async readNow(caller: FirewallCaller, own: readonly ProviderId[]): Promise<void> {
    // Other firewalls of a machine that is in it already do not matter.
    const has = new Set(this.parts());
    const isKnown = (node: ProviderId) => has.has(node) || this.coverage.isKnown(node);
    const known = own.every(isKnown);
    if (this.facts !== undefined && known && this.age.isFresh && !this.failures.failing) return;
    const nodes = [...new Set([...own, ...this.turns.machines.filter((node) => !isKnown(node))])];
    const asked = this.coverage.withUncovered(nodes);
    const { seen, at, askedAt } = await this.list(caller, asked, this.age.longestSeconds);
    const { coveredBy, gone } = seen;
    this.takeListed(seen, at);
    this.age.read(askedAt, at);
    // An additional one closes what the first one closes: it is no cover.
    const ours = new Set(this.additional.created.map((facts) => facts.name));
    const covers = new Map([...coveredBy].map(([node, by]) => [node, by.filter((other) => !ours.has(other))]));
    this.coverage.take({ coveredBy: covers, ...omitUndefined({ gone }) }, nodes, at);
  }

  private list(caller: FirewallCaller, nodes: readonly ProviderId[], maxAge = 0) {
    const ask = (oldest: number) => {
      const survey = ({ provider, context }: FirewallCaller) => provider.survey(context, this.name, nodes, oldest);
      return this.noting(caller, survey, "read");
    };
    return this.listed(ask, maxAge, caller.context.signal);
  }

  private takeListed(seen: FirewallSurvey, at: number) {
    const listed = this.corrected(seen, at);
    for (const { name } of listed) this.late.isThere(name);
    const before = this.parts() ?? this.shares.present();
    this.own.judge(listed);
    const own = listed.find(({ name }) => name === this.name);
    this.former.look(own?.id, seen.names);
    this.facts = own ?? "missing";
    this.additional.take(listed.filter(({ name }) => name !== this.name));
    this.own.compare(before, this.parts() ?? []);
    return listed;
  }

  private parts(): readonly PartKey[] | undefined {
    const whole = this.facts && this.whole(this.facts);
    return whole === "missing" ? [] : whole && keysOf(whole);
  }

  private whole(facts: FirewallFacts | "missing") {
    return facts === "missing" ? facts : wholeOf(this.additional.groupOf(facts));
  }

  private async change(caller: FirewallCaller, change: FirewallChange): Promise<void> {
    const apply = ({ provider, context }: FirewallCaller) => provider.apply(context, change);
    try {
      await this.writing(caller, apply, additionsOf(change));
    } catch (error) {
      // Additions are sent before removals.
      const removes = change.removeRules.length + change.removeNodes.length > 0;
      if (removes || (isProviderError(error) && error.outcome === "unknown")) this.own.attempted(change);
      throw error;
    }
    this.own.changed(change);
    const { facts } = this;
    if (isPresent(facts) && facts.id === change.id) this.facts = changedFacts(facts, change);
    this.additional.changed(change);
  }

  private async writing<T>(caller: FirewallCaller, call: Call<T>, adds: Additions): Promise<T> {
    try {
      const send: Call<T> = (given) => this.recovery.changes.send(() => call(given));
      const result = await this.noting(caller, send, adds);
      if (adds !== "removal") this.refused.joined(adds);
      return result;
    } finally {
      this.age.wrote();
    }
  }

  private async noting<T>(caller: FirewallCaller, call: Call<T>, adds: Additions | "read"): Promise<T> {
    const [kind, [machine]] = typeof adds === "string" ? ([adds, []] as const) : (["addition", adds] as const);
    try {
      const result = await call(caller);
      this.failures.clear(kind);
      this.recovery.noteAnswer();
      return result;
    } catch (error) {
      if (machine !== undefined && this.refused.note(error, machine, this.clock.now())) throw error;
      // That the firewall can be read again says nothing of a change that was refused.
      if (this.failures.note(error, caller.account, kind) && kind === "read") this.recovery.noteReadFailure(error);
      throw error;
    }
  }
}
