/** Watches the simulated world from behind, where nothing can be hidden from it, and keeps what happened. */

import { GROUP_VERSION } from "cdk8s-flipop/api";
import type { JournalEntry } from "../../http/journal.js";
import { isMutating } from "../../http/message.js";
import type { FaultRequest } from "../../kubernetes/index.js";
import { at, textOf } from "../../kubernetes/json.js";
import type { SandboxWorld } from "../../start-world.js";
import type { StoryClock } from "../clock.js";
import { firewallStates } from "../firewalls.js";
import { recordSets } from "../record-sets.js";
import { CLOUDS, type CloudName } from "../scenario/scenario.js";
import type { Author, Fact, FactKind, FirewallState, PoolView } from "./facts.js";
import { type PoolObject, poolViews } from "./pool-views.js";
import { type IssuerObject, type RoutedObject, routedViews, type ServiceObject } from "./routed-views.js";
import type { NodeObject, PodObject } from "./serving-nodes.js";

/** What an observer looks at. */
export interface Observed {
  readonly world: SandboxWorld;
  /** Zones of both clouds. */
  readonly zones: readonly string[];
  readonly clock: StoryClock;
  /** The Kubernetes tokens of operators. */
  readonly operators: ReadonlySet<string>;
  /** The machines of the nodes. @default all of them work */
  readonly machines?: Machines;
}

/** Machines that stop without a word: Kubernetes learns of it later. */
export interface Machines {
  /** Changes whenever one of them stops or starts. */
  readonly revision: number;
  isSilent(node: string): boolean;
}

/** Events with the same text within this time, in ms, are printed once. */
const SAME_MS = 10_000;

export class Observer {
  readonly facts: Fact[] = [];
  private readonly listeners = new Set<(fact: Fact) => void>();
  /** Nodes by the address that they hold. */
  readonly holders = new Map<string, string | undefined>();
  /** Values of all address records, as `A www.example.com (digitalocean)`. */
  readonly records = new Map<string, readonly string[]>();
  /** By name; without those of the cluster itself. */
  readonly firewalls = new Map<string, FirewallState>();
  private readonly names = new Map<number, string>();
  private readonly events = new Set<string>();
  private readonly toldAt = new Map<string, number>();
  private readonly made = new Set<string>();
  private views: readonly PoolView[] = [];
  private viewsText = "";
  private revision = "";
  private readonly ends: (() => void)[] = [];

  constructor(private readonly observed: Observed) {
    const { world, clock } = observed;
    for (const cloud of CLOUDS) {
      this.ends.push(world[cloud].journal.subscribe((entry) => this.called(cloud, entry)));
    }
    this.ends.push(clock.onStep(() => this.look("operator")));
    world.kubernetes.setFaults((request) => {
      this.asked(request);
      return undefined;
    });
  }

  get pools(): readonly PoolView[] {
    return this.views;
  }

  stop(): void {
    for (const end of this.ends.splice(0)) end();
    this.observed.world.kubernetes.setFaults(undefined);
  }

  /** Called with each fact, in order. */
  onFact(listener: (fact: Fact) => void): void {
    this.listeners.add(listener);
  }

  tell(kind: FactKind): void {
    const fact: Fact = { at: this.observed.clock.monotonic(), ...kind };
    this.facts.push(fact);
    for (const listener of this.listeners) listener(fact);
  }

  /** Looks for what changed. @param by who did it, where that can't be seen from the change */
  look(by: Author): void {
    this.lookAtCluster();
    this.lookAtAddresses(by);
    this.lookAtRecords(by);
    this.lookAtFirewalls(by);
  }

  /** Name of the node that a droplet is or was. */
  nameOf(droplet: number): string {
    return this.names.get(droplet) ?? `droplet ${droplet}`;
  }

  private called(cloud: CloudName, entry: JournalEntry): void {
    // The call may follow a change of the cluster within the same step of time.
    this.lookAtCluster();
    const { method, path, status, processed } = entry;
    this.tell({ kind: "call", cloud, what: `${method} ${path}`, writes: isMutating(method), status });
    if (processed > 0) this.ordered(entry);
    this.look("operator");
  }

  /** Assignments as they are taken: the move itself comes later. */
  private ordered({ route, body, answer, params }: JournalEntry): void {
    const ok = at(answer, "action", "id") !== undefined;
    if (!ok || !/^POST \/v2\/reserved_ip(s|v6)\/\{\w+\}\/actions$/.test(route ?? "")) return;
    const ip = Object.values(params)[0] ?? "";
    const droplet = at(body, "droplet_id");
    const to = typeof droplet === "number" ? this.nameOf(droplet) : undefined;
    this.tell({ kind: "ordered", ip, from: this.holders.get(ip), to });
  }

  private asked({ headers, target, method, path }: FaultRequest): void {
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
    if (!this.observed.operators.has(token) || target === undefined) return;
    const reads = ["get", "list", "watch"].includes(target.verb);
    if (!reads && target.plural !== "leases") this.tell({ kind: "kube-write", what: `${method} ${path}` });
  }

  private lookAtCluster(): void {
    const { world, machines } = this.observed;
    const revision = `${world.kubernetes.revision} ${machines?.revision ?? 0}`;
    if (revision === this.revision) return;
    this.revision = revision;
    this.lookAtPools();
    this.lookAtEvents();
  }

  private lookAtPools(): void {
    const nodes = this.list<NodeObject>("v1", "Node").map((node) => this.asItIs(node));
    for (const { metadata, spec } of nodes) this.names.set(dropletOf(spec.providerID), metadata.name);
    const pods = this.list<PodObject>("v1", "Pod");
    const pools = this.list<PoolObject>(GROUP_VERSION, "FloatingIPPool");
    const routed = routedViews({
      ...{ nodes, pods, routed: this.list<RoutedObject>(GROUP_VERSION, "RoutedIP") },
      issuers: this.list<IssuerObject>(GROUP_VERSION, "RoutedIPIssuer"),
      services: this.list<ServiceObject>("v1", "Service"),
    });
    const all = [...poolViews({ pools, nodes, pods, made: this.made }), ...routed];
    const text = JSON.stringify(all, (_key, value: unknown) => (value instanceof Set ? [...value] : value));
    if (text === this.viewsText) return;
    this.viewsText = text;
    this.views = all;
    this.tell({ kind: "pools", pools: all });
  }

  /** What the cluster would say of the node if it knew of it at once. */
  private asItIs(node: NodeObject): NodeObject {
    if (this.observed.machines?.isSilent(node.metadata.name) !== true) return node;
    return { ...node, status: { ...node.status, conditions: [] } };
  }

  private lookAtEvents(): void {
    const written = (event: object) => Number(at(event, "metadata", "resourceVersion"));
    const all = [...this.list<object>("v1", "Event")].sort((a, b) => written(a) - written(b));
    for (const event of all) {
      const key = onceOf(event);
      if (this.events.has(key)) continue;
      this.events.add(key);
      this.tellEvent(event);
    }
  }

  private tellEvent(event: object): void {
    const [kind, name] = ["kind", "name"].map((field) => textOf(at(event, "involvedObject", field)));
    const fact = {
      kind: "event",
      warning: at(event, "type") === "Warning",
      reason: textOf(at(event, "reason")),
      about: `${kind} ${name}`,
      note: textOf(at(event, "message")),
    } as const;
    const now = this.observed.clock.monotonic();
    // Two conditions may have the same cause.
    const key = `${fact.about} ${fact.note}`;
    const toldAt = this.toldAt.get(key);
    this.toldAt.set(key, now);
    if (toldAt === undefined || now - toldAt > SAME_MS) this.tell(fact);
  }

  private lookAtAddresses(by: Author): void {
    const seen = new Set<string>();
    for (const { ip, dropletId } of this.observed.world.digitalocean.state.addresses()) {
      seen.add(ip);
      const to = dropletId === null ? undefined : this.nameOf(dropletId);
      const from = this.holders.get(ip);
      if (!this.holders.has(ip) && by === "operator") {
        this.made.add(ip);
        this.tell({ kind: "made", ip });
      }
      this.holders.set(ip, to);
      if (from !== to) this.tell({ kind: "moved", ip, from, to, by });
    }
    for (const ip of [...this.holders.keys()].filter((known) => !seen.has(known))) {
      this.holders.delete(ip);
      this.tell({ kind: "gone", ip });
    }
  }

  private lookAtRecords(by: Author): void {
    const now = recordSets(this.observed);
    for (const set of this.records.keys()) if (!now.has(set)) now.set(set, []);
    for (const [set, values] of now) {
      const before = this.records.get(set) ?? [];
      if (before.join() === values.join()) continue;
      this.records.set(set, values);
      this.tell({ kind: "records", set, values, before, by });
    }
  }

  private lookAtFirewalls(by: Author): void {
    const states = firewallStates(this.observed.world.digitalocean, (droplet) => this.nameOf(droplet));
    for (const name of this.firewalls.keys()) if (!states.has(name)) states.set(name, { name, rules: [], nodes: [] });
    for (const [name, state] of states) {
      if (JSON.stringify(this.firewalls.get(name)) === JSON.stringify(state)) continue;
      this.firewalls.set(name, state);
      this.tell({ kind: "firewall", ...state, by });
    }
  }

  private list<T>(apiVersion: string, kind: string): readonly T[] {
    return this.observed.world.kubernetes.list(apiVersion, kind) as readonly unknown[] as readonly T[];
  }
}

function dropletOf(providerID: string | undefined): number {
  return Number(providerID?.replace("digitalocean://", ""));
}

/** The story shows again what the operator did again, and not what failed again. */
function onceOf(event: object): string {
  const uid = textOf(at(event, "metadata", "uid"));
  const count = at(event, "series", "count") ?? at(event, "count");
  return at(event, "type") === "Normal" && typeof count === "number" ? `${uid} ${count}` : uid;
}
