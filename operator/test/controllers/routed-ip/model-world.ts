/** A tiny cluster, cloud account and firewall that plans are applied to: actions take time, may fail, crash or be lost. */

import { Annotation, Finalizer, type RoutedIPStatus } from "cdk8s-flipop/api";
import { withList } from "../../../src/addresses/creation/creation-registry.js";
import type { Action } from "../../../src/controllers/routed-ip/actions.js";
import type { Plan } from "../../../src/controllers/routed-ip/plan.js";
import { previousStatus, recordedStatus } from "../../../src/controllers/routed-ip/status.js";
import { reliesOn, type StepName } from "../../../src/controllers/routed-ip/update/steps.js";
import { isOwnTaint } from "../../../src/match/node-facts.js";
import { ruleKey } from "../../../src/providers/diff.js";
import { dnsFields } from "../../../src/records/resolver-caches.js";
import type { Address } from "./model-cluster.js";
import { RoutedView } from "./model-view.js";

/** What goes wrong at the n-th action of a run. `lost`: done, and the answer never comes. */
export interface Fault {
  readonly at: number;
  readonly what: "crash-before" | "crash-after" | "lost" | "refused";
}

class Crash extends Error {}
class Failed extends Error {}

export class ModelWorld extends RoutedView {
  private actionsLeft = 0;
  private ids = 0;

  /** One run of the controller; false: the process died in it. */
  run(name: string, fault?: Fault): boolean {
    this.evaluate(name);
    const made = this.plan(name);
    this.actionsLeft = fault?.at ?? Number.POSITIVE_INFINITY;
    try {
      const failed = this.runSteps(name, made, fault);
      for (const sequence of made.chains) this.runChain(name, sequence, fault);
      this.writeStatus(name, made, failed);
      this.forgetEnded(name, made);
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      this.lists.clear();
      this.cleanups.clear();
      return false;
    }
    this.finish(name);
    return true;
  }

  /** Runs all until nothing is left to do. */
  settle(rounds = 40): void {
    for (let round = 0; round < rounds; round++) {
      for (const name of [...this.routed.keys()]) if (this.routed.has(name)) this.run(name);
      if (this.isAtRest()) {
        this.writeAll();
        return;
      }
      this.pass(Math.max(1000, this.assignMs));
    }
    throw new Error(
      `not at rest: ${JSON.stringify([...this.routed.keys()].map((name) => [this.plan(name).steps, this.plan(name).chains]))}`,
    );
  }

  /** What the last plans say. */
  private writeAll(): void {
    for (const name of [...this.routed.keys()]) this.run(name);
  }

  isAtRest(): boolean {
    return [...this.routed.keys()].every((name) => {
      const { steps, chains } = this.plan(name);
      return steps.length === 0 && chains.length === 0;
    });
  }

  private evaluate(name: string): void {
    const unassigned = new Set([...this.addresses].filter(([, { holder }]) => holder === undefined).map(([ip]) => ip));
    const { status, metadata } = this.get(name);
    if (status.pendingCreation === undefined) this.lists.delete(name);
    else this.lists.set(name, withList(this.lists.get(name) ?? [], { at: this.now, unassigned }));
    if (metadata.deletionTimestamp === undefined) return;
    const { attempts = 0, since = this.now } = this.cleanups.get(name) ?? {};
    this.cleanups.set(name, { attempts: attempts + 1, since });
  }

  private runSteps(name: string, { steps, postAllow }: Plan, fault: Fault | undefined): ReadonlySet<StepName> {
    const failed = new Set<StepName>();
    for (const step of steps) {
      if ([...failed].some((other) => reliesOn(step.name, other, postAllow))) continue;
      if (!this.runChain(name, step.actions, fault)) failed.add(step.name);
    }
    return failed;
  }

  private runChain(name: string, sequence: readonly Action[], fault: Fault | undefined): boolean {
    return sequence.every((action) => {
      const hit = this.actionsLeft-- === 0 ? fault?.what : undefined;
      if (hit === "crash-before") throw new Crash();
      if (hit === "refused") return this.refuse(name, action);
      if (!this.succeeds(name, action, hit === "crash-after" || hit === "lost")) return false;
      this.journal.push({ by: name, action, at: this.now });
      if (hit === "crash-after") throw new Crash();
      return hit !== "lost" && !this.isInFlight(action);
    });
  }

  private refuse(name: string, action: Action): false {
    if (action.do === "create-address") this.patch(name, { pendingCreation: undefined });
    return false;
  }

  private succeeds(name: string, action: Action, unheard: boolean): boolean {
    try {
      this.apply(name, action, unheard);
      return true;
    } catch (error) {
      if (error instanceof Failed) return false;
      throw error;
    }
  }

  private isInFlight(action: Action): boolean {
    return action.do === "assign" && this.addresses.get(action.ip)?.moving !== undefined;
  }

  /** @param unheard the answer never comes, so that nothing of it is recorded. */
  private apply(name: string, action: Action, unheard: boolean): void {
    if (action.do === "record-intent") this.patch(name, { pendingCreation: action.intent });
    else if (action.do === "settle-creation") this.settled(name, action.result.created?.ip, true);
    else if (action.do === "record-dns") this.patch(name, dnsFields(action, this.cachedRecords(name)));
    else if (action.do === "forget-created")
      this.patch(name, { created: undefined, inferred: undefined, routedIP: undefined });
    else if (action.do === "record-firewall") this.recordFirewall(name, action);
    else if (!this.applyToMetadata(name, action)) this.applyToCloud(name, action, unheard);
  }

  private cachedRecords(name: string) {
    return { now: this.now, cachedUntil: this.get(name).status.recordsCachedUntil };
  }

  /** @returns whether it is about the object's finalizers or annotations. */
  private applyToMetadata(name: string, action: Action): boolean {
    const { metadata } = this.get(name);
    if (action.do === "add-finalizer" || action.do === "remove-finalizer") {
      const finalizers = action.do === "add-finalizer" ? [Finalizer.cleanup] : [];
      this.edit(name, { metadata: { ...metadata, finalizers } });
      return true;
    }
    if (action.do !== "annotate-pool") return false;
    const annotations = action.value === undefined ? {} : { [Annotation.createdIps]: action.value };
    this.edit(name, { metadata: { ...metadata, annotations } });
    return true;
  }

  private recordFirewall(name: string, action: Extract<Action, { do: "record-firewall" }>): void {
    const record = action.previous === true ? previousStatus : recordedStatus;
    this.patch(name, record(this.get(name).status, action.name, action.recorded));
  }

  private applyToCloud(name: string, action: Action, unheard: boolean): void {
    if (action.do === "create-address") this.create(name, action.desired, unheard);
    else if (action.do === "assign") this.move(action.ip, action.node.machine);
    else if (action.do === "unassign") this.move(action.ip, undefined);
    else if (action.do === "release") this.release(action.ip);
    else if (action.do === "set-taints") {
      const foreign = (this.nodes.get(action.node)?.taints ?? []).filter((taint) => !isOwnTaint(taint));
      this.editNode(action.node, { taints: [...foreign, ...action.taints] });
    } else this.applyToFirewall(action);
  }

  private applyToFirewall(action: Action): void {
    if (action.do === "read-firewall") this.firewallKnown = true;
    else if (action.do === "record-created-firewall") this.createdFirewall = action.created;
    else if (action.do === "create-firewall") {
      const { name, rules, nodes } = action.desired;
      this.firewalls.set(name, { id: "made", name, rules, nodes, pending: false });
    } else if (action.do === "change-firewall") {
      const { change } = action;
      const facts = this.firewalls.get(change.name);
      if (facts === undefined) throw new Failed();
      const removed = new Set(change.removeRules.map(ruleKey));
      const rules = [...facts.rules, ...change.addRules].filter((rule) => !removed.has(ruleKey(rule)));
      const nodes = [...facts.nodes, ...change.addNodes].filter((node) => !change.removeNodes.includes(node));
      this.firewalls.set(change.name, { ...facts, rules, nodes: [...new Set(nodes)] });
    }
  }

  private settled(name: string, ip: string | undefined, inferred = false): void {
    if (ip !== undefined && inferred) this.inferred.add(ip);
    const created = ip === undefined ? {} : { created: true, routedIP: ip, ...(inferred && { inferred }) };
    this.patch(name, { pendingCreation: undefined, ...created });
  }

  private create(
    name: string,
    desired: { readonly node?: string } | { readonly region: string },
    unheard: boolean,
  ): void {
    const ip = `198.51.100.${this.createdBy.size + 1}`;
    const holder = "node" in desired ? desired.node : undefined;
    if (this.isTaken(holder)) {
      this.patch(name, { pendingCreation: undefined });
      throw new Failed();
    }
    this.addresses.set(ip, { holder });
    this.createdBy.set(ip, name);
    if (!unheard) this.settled(name, ip);
  }

  private release(ip: string): void {
    if (this.addresses.get(ip)?.holder !== undefined) throw new Failed();
    this.addresses.delete(ip);
  }

  private move(ip: string, to: string | undefined): void {
    const address = this.addresses.get(ip);
    if (address === undefined || address.moving !== undefined || this.isTaken(to)) throw new Failed();
    this.ids += 1;
    if (this.assignMs === 0) address.holder = to;
    else address.moving = { to, doneAt: this.now + this.assignMs, id: `${this.ids}` };
  }

  private isTaken(machine: string | undefined): boolean {
    const isThere = ({ holder, moving }: Address) => holder === machine || moving?.to === machine;
    return machine !== undefined && [...this.addresses.values()].some(isThere);
  }

  private patch(name: string, change: { readonly [K in keyof RoutedIPStatus]?: RoutedIPStatus[K] | undefined }): void {
    const status = Object.entries({ ...this.get(name).status, ...change }).filter(([, value]) => value !== undefined);
    this.edit(name, { status: Object.fromEntries(status) });
  }

  private writeStatus(name: string, { status, steps }: Plan, failed: ReadonlySet<StepName>): void {
    const assigned = steps.find((step) => step.name === "assign")?.actions.find((action) => action.do === "assign");
    const { routedIP: recorded, created } = this.get(name).status;
    this.patch(name, status);
    if (created === true && recorded !== undefined) this.patch(name, { routedIP: recorded });
    if (assigned === undefined || assigned.do !== "assign") return;
    const moving = this.addresses.get(assigned.ip)?.moving;
    if (moving !== undefined) this.patch(name, { state: "in-progress", actionID: moving.id });
    else
      this.patch(
        name,
        failed.has("assign") ? { state: "error", error: "refused" } : { state: "active", graceSince: undefined },
      );
  }

  /** A poll has found out that its action is over. */
  private forgetEnded(name: string, { chains }: Plan): void {
    const polled = chains.flat().flatMap((action) => (action.do === "poll" ? [action.ip] : []));
    if (polled.some((ip) => this.addresses.get(ip)?.moving === undefined)) this.patch(name, { actionID: undefined });
  }

  private finish(name: string): void {
    const { metadata } = this.get(name);
    if (metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0) this.routed.delete(name);
  }
}
