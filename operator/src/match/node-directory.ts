/** All nodes as facts, by name, by machine and by label. One for the operator, fed by the node store; resources listen to it. */

import { type SelectorRequirement, selectorMatches } from "cdk8s-flipop/api";
import type { SlimNode } from "../kube/cache/slim-objects.js";
import type { ReadStore, StoreEvent } from "../kube/cache/store.js";
import { errorText, type Logger, silentLogger } from "../logging.js";
import type { ProviderId } from "../providers/types.js";
import { MAX_INDEXED_KEYS } from "../timings.js";
import { compareText, putLast } from "../values.js";
import { isConditionTaint, type NodeFacts, nodeFacts } from "./node-facts.js";
import type { ForbiddenLabel } from "./tally.js";

type Labels = Readonly<Record<string, string>>;

export class LabelIndex {
  /** Key -> value -> names. */
  private readonly keys = new Map<string, Map<string, Set<string>>>();

  /** @param all every node, read when a key is asked for the first time. */
  constructor(private readonly all: () => Iterable<{ readonly name: string; readonly labels: Labels }>) {}

  /** Names of the nodes whose label `key` has one of the values; `undefined`: too many keys, look at every node. */
  with(key: string, values: readonly string[]): readonly string[] | undefined {
    if (!this.keys.has(key) && this.keys.size >= MAX_INDEXED_KEYS) return undefined;
    const names = this.keys.get(key) ?? this.build(key);
    return values.flatMap((value) => [...(names.get(value) ?? [])]);
  }

  /** How many nodes have the label `key`, with any value; `undefined`: too many keys. */
  count(key: string): number | undefined {
    if (this.with(key, []) === undefined) return undefined;
    return [...(this.keys.get(key)?.values() ?? [])].reduce((sum, names) => sum + names.size, 0);
  }

  /** A node came (no `before`), changed, or went (no `after`). */
  update(name: string, before: Labels | undefined, after: Labels | undefined): void {
    // Equal label maps are mostly one object: see Interner.
    if (before === after) return;
    for (const [key, names] of this.keys) {
      const [old, next] = [labelOf(before, key), labelOf(after, key)];
      if (old === next) continue;
      if (old !== undefined) removeFrom(names, old, name);
      if (next !== undefined) put(names, next, name);
    }
  }

  private build(key: string): Map<string, Set<string>> {
    const names = new Map<string, Set<string>>();
    for (const { name, labels } of this.all()) {
      const value = labelOf(labels, key);
      if (value !== undefined) put(names, value, name);
    }
    this.keys.set(key, names);
    return names;
  }
}

export function labelOf(labels: Labels | undefined, key: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function put(names: Map<string, Set<string>>, value: string, name: string): void {
  const known = names.get(value);
  if (known === undefined) names.set(value, new Set([name]));
  else known.add(name);
}

function removeFrom(names: Map<string, Set<string>>, value: string, name: string): void {
  const known = names.get(value);
  known?.delete(name);
  if (known?.size === 0) names.delete(value);
}

/** A node came (no `before`), changed, or went (no `after`). Another node's event can change it: see `standIn`. */
export interface NodeChange {
  readonly name: string;
  readonly before: NodeFacts | undefined;
  readonly after: NodeFacts | undefined;
}

/** An error that it throws is logged and does not affect other listeners. */
type NodeListener = (change: NodeChange) => void;

export class NodeDirectory {
  private readonly slim = new Map<string, SlimNode>();
  private readonly facts = new Map<string, NodeFacts>();
  private readonly namesOf = new Map<ProviderId, Set<string>>();
  private readonly formerMachines = new Map<ProviderId, true>();
  private readonly labels = new LabelIndex(() => this.facts.values());
  private readonly listeners = new Set<NodeListener>();

  /** @param nodes those that are there already; hand every later event to `apply`. */
  constructor(
    nodes: Iterable<SlimNode> = [],
    private readonly logger: Logger = silentLogger,
  ) {
    for (const object of nodes) this.apply({ type: "added", object });
  }

  /** Of a cache, for its whole life. */
  static following({ store }: { readonly store: Pick<ReadStore<SlimNode>, "listen"> }, logger: Logger): NodeDirectory {
    const directory = new NodeDirectory([], logger);
    store.listen((event) => directory.apply(event));
    return directory;
  }

  get size(): number {
    return this.facts.size;
  }

  get(name: string): NodeFacts | undefined {
    return this.facts.get(name);
  }

  /** The node that stands for a machine. */
  ofMachine(machine: ProviderId): NodeFacts | undefined {
    const name = this.stateFor(machine);
    return name === undefined ? undefined : this.facts.get(name);
  }

  /** Whether a node that is gone stood for the machine, as far back as this process remembers. */
  hadMachine(machine: ProviderId): boolean {
    return this.formerMachines.has(machine);
  }

  list(): IterableIterator<NodeFacts> {
    return this.facts.values();
  }

  /** Nodes with all these labels. Costs the nodes of one value where any requirement names values, else all nodes. */
  *withLabels(requirements: readonly SelectorRequirement[]): IterableIterator<NodeFacts> {
    for (const name of this.namesToTry(requirements)) {
      const node = this.facts.get(name);
      if (node !== undefined && selectorMatches(requirements, node.labels)) yield node;
    }
  }

  /** How many of the nodes without the one label asked for have it with another value. Absent: none, or several labels are asked for. */
  relabel([asked, ...more]: readonly SelectorRequirement[]): "all" | "some" | undefined {
    if (asked?.operator !== "In" || asked.values.length !== 1 || more.length > 0) return undefined;
    const matching = this.labels.with(asked.key, asked.values)?.length ?? 0;
    const others = (this.labels.count(asked.key) ?? 0) - matching;
    if (others <= 0) return undefined;
    return others === this.size - matching ? "all" : "some";
  }

  /** The first label that nodes have and must not have, although all else that is asked for fits. */
  forbidden(requirements: readonly SelectorRequirement[]): ForbiddenLabel | undefined {
    for (const asked of requirements.filter(({ operator }) => operator === "DoesNotExist" || operator === "NotIn")) {
      const fitting = [...this.withLabels(requirements.filter((other) => other !== asked))];
      const failing = fitting.filter(({ labels }) => !selectorMatches([asked], labels));
      const values = new Set(failing.flatMap(({ labels }) => labelOf(labels, asked.key) ?? []));
      const facts = { key: asked.key, excluded: asked.values, nodes: failing.length };
      if (failing.length > 0) return { ...facts, values: [...values].sort(compareText) };
    }
    return undefined;
  }

  /** @returns the function that ends it. */
  listen(listener: NodeListener): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /** Costs the work of this node and of those that name the same machine: usually none. */
  apply(event: StoreEvent<SlimNode>): void {
    const { name } = event.object;
    const old = this.slim.get(name);
    const next = event.type === "deleted" ? undefined : event.object;
    this.place(name, old, next);
    const changes = [this.derive(name)];
    for (const machine of new Set([old?.providerID, next?.providerID])) {
      if (machine) changes.push(...this.twins(machine, name));
    }
    for (const change of changes) this.emit(change);
  }

  private emit(change: NodeChange): void {
    for (const listener of [...this.listeners]) {
      try {
        listener(change);
      } catch (error) {
        this.logger.error({ node: change.name, error: errorText(error) }, "a node listener threw");
      }
    }
  }

  private place(name: string, old: SlimNode | undefined, next: SlimNode | undefined): void {
    if (next === undefined) this.slim.delete(name);
    else this.slim.set(name, next);
    if (old?.providerID === next?.providerID) return;
    if (old?.providerID) {
      remove(this.namesOf, old.providerID, name);
      putLast(this.formerMachines, old.providerID, true, MOST_FORMER);
    }
    if (next?.providerID) add(this.namesOf, next.providerID, name);
  }

  private derive(name: string): NodeChange {
    const before = this.facts.get(name);
    const slim = this.slim.get(name);
    const after = slim === undefined ? undefined : nodeFacts(slim, this.standInOf(slim));
    if (after === undefined) this.facts.delete(name);
    else this.facts.set(name, after);
    this.labels.update(name, before?.labels, after?.labels);
    return { name, before, after };
  }

  private namesToTry(requirements: readonly SelectorRequirement[]): Iterable<string> {
    const named = requirements.find(({ operator }) => operator === "In");
    const names = named && this.labels.with(named.key, named.values);
    return names ?? this.facts.keys();
  }

  /** Other nodes of a machine for which another one stands now. */
  private twins(machine: ProviderId, except: string): NodeChange[] {
    const others = [...(this.namesOf.get(machine) ?? [])].filter((name) => name !== except);
    return others.filter((name) => this.standInChanged(name)).map((name) => this.derive(name));
  }

  private standInChanged(name: string): boolean {
    const slim = this.slim.get(name);
    return slim !== undefined && this.facts.get(name)?.standIn !== this.standInOf(slim);
  }

  private standInOf({ name, providerID }: SlimNode): string | undefined {
    const placement = providerID ? this.stateFor(providerID) : undefined;
    return placement === name ? undefined : placement;
  }

  /**
   * One of the nodes that name the machine: not being deleted, then ready and without a taint of a condition, then ready,
   * then the oldest. A namesake neither counts twice nor takes the node's address.
   */
  private stateFor(machine: ProviderId): string | undefined {
    let best: SlimNode | undefined;
    for (const name of this.namesOf.get(machine) ?? []) {
      const slim = this.slim.get(name);
      if (slim !== undefined && (best === undefined || standsBefore(slim, best))) best = slim;
    }
    return best?.name;
  }
}

/** More than a large cluster replaces while a read can be late. */
const MOST_FORMER = 10_000;

function standsBefore(a: SlimNode, b: SlimNode): boolean {
  const [stays, otherStays] = [a.deletionTimestamp === undefined, b.deletionTimestamp === undefined];
  if (stays !== otherStays) return stays;
  const [health, otherHealth] = [healthOf(a), healthOf(b)];
  if (health !== otherHealth) return health > otherHealth;
  const [created, otherCreated] = [a.creationTimestamp ?? "", b.creationTimestamp ?? ""];
  return created === otherCreated ? a.name < b.name : created < otherCreated;
}

/** The taint of an outage goes some time after the node is ready again. */
function healthOf({ conditions, taints = [] }: SlimNode): number {
  const isReady = conditions.some(({ type, status }) => type === "Ready" && status === "True");
  return isReady ? 1 + Number(!taints.some(isConditionTaint)) : 0;
}

function add(sets: Map<string, Set<string>>, key: string, value: string): void {
  const known = sets.get(key);
  if (known === undefined) sets.set(key, new Set([value]));
  else known.add(value);
}

function remove(sets: Map<string, Set<string>>, key: string, value: string): void {
  const known = sets.get(key);
  known?.delete(value);
  if (known?.size === 0) sets.delete(key);
}
