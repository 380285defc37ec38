/** A tiny cluster, cloud account and firewall that plans are applied to: actions take time, may fail, crash or be lost. */

import { Annotation, Finalizer, type RoutedIPStatus } from "cdk8s-flipop/api";
import type { AddressMemory } from "../../../src/addresses/address-set.js";
import { type ListObservation, withList } from "../../../src/addresses/creation/list-observations.js";
import { Claims } from "../../../src/claims/claims.js";
import { routedIpClaims } from "../../../src/claims/read-claims.js";
import type { Action } from "../../../src/controllers/routed-ip/actions.js";
import { addressSetOf } from "../../../src/controllers/routed-ip/address/address-set.js";
import { previousStatus, recordedStatus, recordOf } from "../../../src/controllers/routed-ip/address/address-status.js";
import type { FirewallSnapshot } from "../../../src/controllers/routed-ip/firewall/firewall.js";
import { type Plan, plan } from "../../../src/controllers/routed-ip/plan.js";
import { everyNode } from "../../../src/controllers/routed-ip/service/every-node.js";
import type { Snapshot } from "../../../src/controllers/routed-ip/snapshot.js";
import { reliesOn, type StepName } from "../../../src/controllers/routed-ip/update/steps.js";
import type { CachedState } from "../../../src/inventory/cached-state.js";
import { createView } from "../../../src/inventory/view.js";
import type { Taint } from "../../../src/kube/cache/slim.js";
import { refusalsOf } from "../../../src/match/checks.js";
import type { CompiledMatch } from "../../../src/match/compile-match.js";
import { nodeFacts } from "../../../src/match/node-facts.js";
import { isOwnTaint } from "../../../src/match/taints.js";
import { ruleKey } from "../../../src/providers/firewall-changes.js";
import { EndpointWorkload, type SliceFacts } from "../../../src/routing/endpoints.js";
import { NO_PORTS, portsOf } from "../../../src/routing/ports.js";
import type { RoutedIP } from "../../../src/routing/resource.js";
import { serviceProblem } from "../../../src/routing/service.js";
import type { TaintedNode } from "../../../src/routing/taint-registry.js";
import { NO_MEMORY } from "../floating-ip-pool/no-memory.js";
import { type Address, ModelCluster, TAINT } from "./model-cluster.js";

/** What goes wrong at the n-th action of a run. `lost`: done, and the answer never comes. */
export interface Fault {
  readonly at: number;
  readonly what: "crash-before" | "crash-after" | "lost" | "refused";
}

const CAPABILITIES = {
  families: ["IPv4", "IPv6"],
  addressesPerNode: 3,
  regional: true,
  providerIdScheme: "digitalocean",
  movesHeld: true,
  createsOnNode: ["IPv4"],
} as const;
const MATCH: CompiledMatch = everyNode(undefined);

class Crash extends Error {}
class Failed extends Error {}

export class ModelWorld extends ModelCluster {
  private readonly lists = new Map<string, readonly ListObservation[]>();
  private readonly cleanups = new Map<string, { attempts: number; since: number }>();
  private actionsLeft = 0;
  private ids = 0;

  plan(name: string): Plan {
    return plan(this.snapshot(name));
  }

  /** One run of the controller; false: the process died in it. */
  run(name: string, fault?: Fault): boolean {
    this.evaluate(name);
    const made = this.plan(name);
    this.actionsLeft = fault?.at ?? Number.POSITIVE_INFINITY;
    try {
      const failed = this.runSteps(name, made, fault);
      for (const sequence of made.sequences) this.runChain(name, sequence, fault);
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
      `not at rest: ${JSON.stringify([...this.routed.keys()].map((name) => [this.plan(name).steps, this.plan(name).sequences]))}`,
    );
  }

  /** What the last plans say. */
  private writeAll(): void {
    for (const name of [...this.routed.keys()]) this.run(name);
  }

  isAtRest(): boolean {
    return [...this.routed.keys()].every((name) => {
      const { steps, sequences } = this.plan(name);
      return steps.length === 0 && sequences.length === 0;
    });
  }

  snapshot(name: string): Snapshot {
    const routed = this.get(name);
    const resolvedClass = this.resolvedClass.get(name);
    const claims = new Claims();
    for (const other of this.routed.values()) claims.put(routedIpClaims(other, "digitalocean"));
    const key = `default/${routed.spec.serviceRef.serviceName}`;
    const service = this.services.get(key);
    const problem = serviceProblem({ key, namespace: "default", service });
    const workload = this.workload(key);
    const verdictOf = (machine: string) => this.verdict(machine, workload);
    const all = [...this.nodes.values()].map((node) => nodeFacts(node));
    const others = [...this.routed.values()].filter((other) => other !== routed && other.status.pendingCreation);
    const pods = (this.endpoints.get(key) ?? []).map(() => ({ hostNetwork: true as const }));
    const firewall = this.firewallSnapshot(name);
    return {
      routed,
      set: addressSetOf({ routed, ...(resolvedClass && { resolvedClass }) }),
      ...(resolvedClass === undefined ? {} : { resolvedClass }),
      ...(problem === undefined ? {} : { problem }),
      now: this.now,
      cachesComplete: true,
      candidates: all.filter(({ machine }) => machine !== undefined && verdictOf(machine)?.refusals.length === 0),
      verdictOf,
      refusals: `${all.length} nodes`,
      servesAt: (node) => workload.servesAt(node),
      inventory: this.view(),
      capabilities: CAPABILITIES,
      claims: claims.view(routed.metadata.uid),
      ownerOf: (ip) => claims.holderOf(ip),
      share: (wants, machines) => machines.slice(0, wants),
      otherCreations: others.map(({ metadata, status }) => ({
        resource: { kind: "RoutedIP", namespace: "default", name: metadata.name, uid: metadata.uid },
        ...(status.pendingCreation?.providerID === undefined ? {} : { node: status.pendingCreation.providerID }),
      })),
      crdTooOld: false,
      memory: this.memory(name),
      ports: service === undefined ? NO_PORTS : portsOf(service, pods),
      ...(firewall === undefined ? {} : { firewall }),
      previousFirewallStates: this.formersOf(name),
      taints: this.taintView(name),
    };
  }

  private memory(name: string): AddressMemory {
    return { ...NO_MEMORY, lists: this.lists.get(name) ?? [], cleanup: this.cleanups.get(name) ?? { attempts: 0 } };
  }

  private workload(key: string): EndpointWorkload {
    const endpoints = (this.endpoints.get(key) ?? []).map(({ node, ready, serving }) => ({
      nodeName: node,
      ready,
      serving,
      terminating: serving && !ready,
    }));
    const slice: SliceFacts = { uid: key, name: key, namespace: "default", service: key, endpoints };
    return new EndpointWorkload(key, () => [slice]);
  }

  private verdict(machine: string, workload: EndpointWorkload) {
    const slim = [...this.nodes.values()].find(({ providerID }) => providerID === machine);
    if (slim === undefined) return undefined;
    const node = nodeFacts(slim);
    return { node, refusals: refusalsOf({ node, match: MATCH, workload: workload.on(node.name) }) };
  }

  private firewallSnapshot(name: string): FirewallSnapshot | undefined {
    const wanted = this.resolvedClass.get(name)?.firewallName;
    const shown = wanted ?? this.get(name).status.firewall?.name;
    if (shown === undefined) return undefined;
    return { ...this.firewallNamed(name, shown), ...(wanted === undefined ? { previous: true as const } : {}) };
  }

  private formersOf(name: string): readonly FirewallSnapshot[] {
    const { firewall, previousFirewalls = [] } = this.get(name).status;
    const wanted = this.resolvedClass.get(name)?.firewallName ?? firewall?.name;
    const names = new Set(
      [...previousFirewalls, ...(firewall === undefined ? [] : [firewall])].map((each) => each.name),
    );
    return [...names].filter((each) => each !== wanted).map((each) => this.firewallNamed(name, each));
  }

  private firewallNamed(routed: string, shown: string): FirewallSnapshot {
    const others = [...this.routed.values()].filter(({ metadata }) => metadata.name !== routed);
    return {
      name: shown,
      capabilities: { rulesPerFirewall: 50, nodesPerFirewall: 10, reserved: () => false },
      facts: this.firewallKnown ? (this.firewalls.get(shown) ?? "missing") : "unknown",
      coveredBy: new Map([...this.nodes.keys()].map((node) => [`digitalocean://${node}`, this.coverOf(node)])),
      others: others
        .map(({ status }) => recordOf(status, shown))
        .filter(({ rules, nodes }) => rules.length + nodes.length > 0),
    };
  }

  private coverOf(node: string): readonly string[] {
    return this.covered.has(`digitalocean://${node}`) ? ["base"] : [];
  }

  private needs({ metadata, status, spec }: RoutedIP): readonly string[] {
    if (metadata.deletionTimestamp !== undefined) return [];
    const address = this.addresses.get(status.routedIP ?? spec.routedIP ?? "");
    return [address?.holder, address?.moving?.to, status.providerID].filter((machine) => machine !== undefined);
  }

  private taintView(name: string) {
    const neededOn = (node: string): readonly Taint[] => {
      const others = [...this.routed.values()].filter(({ metadata }) => metadata.name !== name);
      const on = others.filter((other) => this.needs(other).includes(`digitalocean://${node}`));
      return on.length > 0 ? [TAINT] : [];
    };
    const nodes = [...this.nodes.keys()].flatMap((node): readonly TaintedNode[] => {
      const taints = this.ownTaints(node);
      return taints.length === 0 ? [] : [{ name: node, taints, needed: neededOn(node) }];
    });
    return { nodes, neededOn };
  }

  private view() {
    const cachedStates = new Map<string, CachedState>();
    for (const [ip, { holder, moving }] of this.addresses) {
      const held = holder === undefined ? {} : { holder };
      const action = moving === undefined ? {} : { action: { id: moving.id } };
      cachedStates.set(ip, { facts: { ip, family: "IPv4", region: "", ...held, ...action }, at: 0 });
    }
    const named = [...this.routed.values()].flatMap(({ spec, status }) => [spec.routedIP, status.routedIP]);
    const gone = new Set(named.filter((ip) => ip !== undefined).filter((ip) => !this.addresses.has(ip)));
    return createView({ now: 0, listedAt: 0, cachedStates, gone, reservations: new Map() });
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

  /** @param unheard the answer never comes: what it would have told is not recorded. */
  private apply(name: string, action: Action, unheard: boolean): void {
    if (action.do === "record-intent") this.patch(name, { pendingCreation: action.intent });
    else if (action.do === "settle-creation") this.settled(name, action.result.created?.ip, true);
    else if (action.do === "record-dns") this.patch(name, { dns: action.written });
    else if (action.do === "forget-created")
      this.patch(name, { created: undefined, inferred: undefined, routedIP: undefined });
    else if (action.do === "record-firewall") this.recordFirewall(name, action);
    else if (!this.applyToMetadata(name, action)) this.applyToCloud(name, action, unheard);
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
  private forgetEnded(name: string, { sequences }: Plan): void {
    const polled = sequences.flat().flatMap((action) => (action.do === "poll" ? [action.ip] : []));
    if (polled.some((ip) => this.addresses.get(ip)?.moving === undefined)) this.patch(name, { actionID: undefined });
  }

  private finish(name: string): void {
    const { metadata } = this.get(name);
    if (metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0) this.routed.delete(name);
  }
}
