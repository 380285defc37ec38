/** RoutedIPIssuers of the cluster: tries their credentials, and keeps each as long as somebody uses it. */

import { Finalizer } from "cdk8s-flipop/api";
import { CREDENTIALS_CHECK_SECONDS, DUE_RETRY_PAUSE_MS, SECOND_MS } from "../../bounds.js";
import { keyOf } from "../../kube/objects.js";
import { finalizerPatch, statusPatch } from "../../kube/patch.js";
import { OwnSeries } from "../../metrics/series.js";
import type { CallContext } from "../../providers/call.js";
import { isSuperseded } from "../../providers/decision.js";
import { isProviderError } from "../../providers/errors.js";
import { Controller, type Run } from "../../runtime/controller.js";
import { done, type Result, requeueAfter } from "../../runtime/result.js";
import { AddressAccount } from "../address-accounts.js";
import { type Basis, objectBasis, recheckOf } from "../addresses/basis.js";
import { type CleanupMemory, nextAttempt } from "../cleanup.js";
import { conditionSamples } from "../condition-metrics.js";
import { given } from "../given.js";
import { conditionsWish, turnedBad } from "../planned-condition.js";
import type { SharedFirewall } from "../routed-ip/firewall-book.js";
import type { AccountAnswer, IssuerAccounts } from "../routed-ip/issuer-accounts.js";
import type { IssuerObject, IssuerRead } from "../routed-ip/resource.js";
import type { Routing } from "../routed-ip/routing.js";
import { resultOfError } from "../run-failure.js";
import { regardingOf } from "../telling.js";
import { type Action, type Plan, plan } from "./plan.js";
import type { Snapshot } from "./snapshot.js";

const NAME = "routed-ip-issuer";
const KIND = "RoutedIPIssuer";
const REGION_LABEL = "topology.kubernetes.io/region";

interface Scene {
  readonly issuer: IssuerRead;
  readonly answer: AccountAnswer;
  readonly account: AddressAccount | undefined;
  readonly firewall: SharedFirewall | undefined;
}

export class IssuerController {
  readonly controller: Controller;
  private readonly cleanups = new Map<string, CleanupMemory>();
  private readonly series = new Map<string, OwnSeries>();
  private readonly ends: readonly (() => void)[];

  constructor(
    private readonly routing: Routing,
    private readonly accounts: IssuerAccounts,
  ) {
    const { clock, random, logger, runtime, settings } = routing.context;
    this.controller = new Controller({
      ...{ name: NAME, clock, random, logger, workers: 2, resyncMs: settings.resyncMs },
      reconcile: (key, run) => this.reconcile(key, run),
      keys: () => this.keys(),
      metrics: { queue: runtime.queue, controller: runtime.controller },
    });
    this.ends = [
      routing.issuers.listen(({ type, object }) => {
        const key = keyOf(object);
        if (type === "deleted") this.gone(key);
        else this.controller.add(key);
      }),
    ];
  }

  /** A Secret, a class or a RoutedIP has changed. */
  lookAgain(): void {
    for (const key of this.keys()) this.controller.add(key);
  }

  close(): Promise<void> {
    for (const end of this.ends) end();
    return Promise.resolve();
  }

  private *keys(): Iterable<string> {
    for (const { metadata } of this.routing.issuers.list()) {
      yield keyOf({ namespace: metadata.namespace, name: metadata.name });
    }
  }

  private gone(key: string): void {
    this.cleanups.delete(key);
    this.series.get(key)?.clear();
    this.series.delete(key);
    if (this.routing.usersOfIssuer(key).length > 0) return;
    this.accounts.forget(key).catch((error: unknown) => {
      this.routing.context.logger.warn({ issuer: key, error }, "cannot close the connections of a deleted issuer");
    });
  }

  private async reconcile(key: string, run: Run): Promise<Result> {
    const issuer = this.routing.lookUp.issuer(key);
    if (issuer === undefined) return done;
    try {
      const scene = await this.prepare(issuer, run);
      const snapshot = this.snapshotOf(key, scene);
      const made = plan(snapshot);
      await this.carryOut(scene, made, run);
      await this.tell(key, snapshot, made);
      return requeueAfter(nextMs(scene, snapshot.now));
    } catch (error) {
      return resultOfError(error);
    }
  }

  /** Asks the provider what has to be known; what it refuses is in the account's and the firewall's own memory. */
  private async prepare(issuer: IssuerRead, run: Run): Promise<Scene> {
    const answer = this.accounts.of(issuer);
    const found = answer.account?.addresses("IPv4");
    const account = found instanceof AddressAccount ? found : undefined;
    await account?.refresh(CREDENTIALS_CHECK_SECONDS, "check");
    const firewall = this.firewallOf(issuer, { answer, account });
    const firewalls = answer.account?.providers.firewalls;
    if (firewall !== undefined && firewalls !== undefined) {
      const caller = { provider: firewalls, context: this.call(issuer, "is the firewall there", run) };
      await firewall.read(caller, []).catch((error: unknown) => {
        if (!isProviderError(error)) throw error;
      });
    }
    return { issuer, answer, account, firewall };
  }

  private firewallOf(
    { spec, status }: IssuerRead,
    { answer, account }: Pick<Scene, "answer" | "account">,
  ): SharedFirewall | undefined {
    const name = spec.routedIPFirewallName ?? status.createdFirewall?.name;
    const firewalls = answer.account?.providers.firewalls;
    if (name === undefined || account?.inventory === undefined || firewalls?.capabilities.reserved(name) !== false) {
      return undefined;
    }
    return this.routing.firewalls.of(account.inventory.account, name);
  }

  private snapshotOf(key: string, scene: Scene): Snapshot {
    const { context } = this.routing;
    const { issuer, answer, account } = scene;
    const problem = issuer.problem ?? answer.problem;
    const regions = [...context.nodes.list()].flatMap(({ labels }) => labels[REGION_LABEL] ?? []);
    const users = this.routing.usersOfIssuer(key);
    if (users.length === 0 && issuer.metadata.deletionTimestamp !== undefined) this.noteCleanup(key);
    return {
      issuer,
      now: context.clock.now(),
      cachesComplete: context.leads() && this.routing.synced,
      ...(problem === undefined ? {} : { problem }),
      account: accountState(account),
      ...given({ accountRetryAt: account?.retryAt }),
      regions: new Set(regions),
      firewall: firewallState(scene),
      users,
      cleanup: this.cleanups.get(key) ?? { attempts: 0 },
    };
  }

  private noteCleanup(key: string): void {
    this.cleanups.set(key, nextAttempt(this.cleanups.get(key) ?? { attempts: 0 }, this.routing.context.clock.now()));
  }

  private async carryOut(scene: Scene, { chain }: Plan, run: Run): Promise<void> {
    for (const action of chain) {
      try {
        await this.perform(scene, action, run);
      } catch (error) {
        if (!isProviderError(error)) throw error;
        if (isSuperseded(error)) return;
        this.event(scene.issuer, { type: "Warning", reason: "FirewallFailed", note: error.message });
        return;
      }
    }
  }

  private async perform(scene: Scene, action: Action, run: Run): Promise<void> {
    const { issuer, answer, firewall } = scene;
    const writer = this.writerOf(issuer);
    switch (action.do) {
      case "add-finalizer":
        await writer.write({ patch: (object) => finalizerPatch(object, Finalizer.inUse, true) });
        return;
      case "remove-finalizer":
        await writer.write({ patch: (object) => finalizerPatch(object, Finalizer.inUse, false) });
        if (action.leftBehind.length > 0) this.abandoned(issuer, action.leftBehind);
        return;
      case "record-firewall": {
        const patch = (object: IssuerObject) => statusPatch(object, { createdFirewall: action.created });
        await writer.write({ patch, subresource: "status", fact: true });
        return;
      }
      case "remove-firewall": {
        const provider = answer.account?.providers.firewalls;
        if (provider === undefined) return;
        const recheck = recheckOf(() => this.basisOf(issuer));
        const context = { ...this.call(issuer, action.why, run), priority: "records", recheck } as const;
        await firewall?.remove({ provider, context }, action.firewall);
      }
    }
  }

  private basisOf({ metadata: { namespace, name } }: IssuerRead): Basis {
    const key = keyOf({ namespace, name });
    const { metadata } = this.routing.lookUp.issuer(key) ?? {};
    return { ...objectBasis(metadata), "the number of its RoutedIPs": this.routing.usersOfIssuer(key).length };
  }

  private writerOf({ metadata: { namespace, name } }: IssuerRead) {
    return this.routing.issuerWriters.of(keyOf({ namespace, name }));
  }

  private abandoned(issuer: IssuerRead, left: readonly string[]): void {
    const { metrics } = this.routing.context;
    metrics.leftBehind.inc({ kind: KIND, namespace: issuer.metadata.namespace ?? "" }, left.length);
    this.event(issuer, {
      type: "Warning",
      reason: "LeftBehind",
      note: `left behind, remove by hand: ${left.join("; ")}`,
    });
  }

  private async tell(key: string, { issuer, now }: Snapshot, { conditions, retryAt }: Plan): Promise<void> {
    const { metrics, leads } = this.routing.context;
    const { namespace = "", name } = issuer.metadata;
    const series = this.series.get(key) ?? new OwnSeries();
    this.series.set(key, series);
    series.show(conditionSamples(metrics, { kind: KIND, namespace, name }, conditions));
    if (!leads() || this.routing.lookUp.issuer(key) === undefined) return;
    const wish = { ...conditionsWish(issuer.metadata, conditions, now), retryAt };
    await this.routing.issuerWriters.of(key).write({ patch: (seen) => statusPatch(seen, wish), subresource: "status" });
    for (const { reason, message } of turnedBad(issuer.status.conditions, conditions)) {
      this.event(issuer, { type: "Warning", reason, note: message });
    }
  }

  private event(
    { metadata: { namespace = "", name, uid } }: IssuerRead,
    { type, reason, note }: { readonly type: "Normal" | "Warning"; readonly reason: string; readonly note: string },
  ): void {
    const regarding = regardingOf({ kind: KIND, namespace, name, uid });
    this.routing.context.events.record({ regarding, type, reason, action: "Check", note });
  }

  private call({ metadata: { namespace = "", name } }: IssuerRead, why: string, { signal }: Run): CallContext {
    return { asker: { kind: KIND, namespace, name }, why, priority: "check", signal };
  }
}

/** ms until the credentials are tried again. What failed is tried at its own times, or the failure outlives its cause. */
function nextMs({ account, firewall }: Scene, now: number): number {
  const { failure, retryAt } = firewall?.view() ?? {};
  const due = [account?.retryAt, failure === undefined ? undefined : retryAt].flatMap((at) => at ?? []);
  return Math.max(DUE_RETRY_PAUSE_MS, Math.min(CREDENTIALS_CHECK_SECONDS * SECOND_MS, ...due.map((at) => at - now)));
}

function accountState(account: AddressAccount | undefined): Snapshot["account"] {
  if (account === undefined) return "untried";
  if (account.failure !== undefined) return { failure: account.failure };
  return account.inventory?.view().complete === true ? "good" : "untried";
}

function firewallState({ issuer, answer, firewall }: Scene): Snapshot["firewall"] {
  const { routedIPFirewallName: name } = issuer.spec;
  const firewalls = answer.account?.providers.firewalls;
  if (name !== undefined && firewalls?.capabilities.reserved(name) === true) {
    const message = `firewall "${name}" belongs to the platform, which overwrites foreign rules: name a firewall of your own`;
    return { failure: { reason: "FirewallForbidden", message } };
  }
  if (firewall === undefined) return name === undefined ? "none" : "unknown";
  const { facts, failure } = firewall.view();
  return failure === undefined ? facts : { failure };
}
