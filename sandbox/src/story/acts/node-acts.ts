/** What befalls nodes. Each returns what it did, for people. */

import type { Timer } from "flipop-operator/clock";
import { at, type JsonObject, listOf, objectOf } from "../../kubernetes/json.js";
import { type ConditionContent, readyCondition, removeNode } from "../../nodes.js";
import type { Kubelets } from "../controllers/node-heartbeats.js";
import type { Workloads } from "../controllers/workloads.js";
import { findNode } from "../resolve-refs.js";
import type { NodeRef, NodeStep } from "../scenario/scenario.js";
import type { Stage } from "../stage.js";

type PlainStep = Extract<NodeStep, { readonly node: NodeRef }>;
type Upgrade = Extract<NodeStep, { readonly do: "upgrade" }>;
type Taint = { readonly key: string; readonly effect: string };

/** What the nodes of "recover: all" and the like are. */
type Undone = "fail" | "cordon" | "unready";

const BOOT_MS = 20_000;
/** From the drain of a node until it is deleted. */
const DRAIN_MS = 15_000;
/** The node controller waits for so long until it marks a silent node NotReady. */
const NOT_READY_MS = 40_000;
const UNREACHABLE = "node.kubernetes.io/unreachable";
const NOT_READY = "node.kubernetes.io/not-ready";

export class NodeActs {
  private readonly done: Readonly<Record<Undone, Set<string>>> = {
    fail: new Set(),
    cordon: new Set(),
    unready: new Set(),
  };

  /** Nodes without power that Kubernetes does not know of yet. */
  private readonly notReady = new Map<string, Timer>();

  constructor(
    private readonly stage: Stage,
    private readonly workloads: Workloads,
    private readonly kubelets: Kubelets,
  ) {}

  /** Ends what is to come. */
  stop(): void {
    for (const timer of this.notReady.values()) timer.cancel();
    this.notReady.clear();
  }

  play(step: PlainStep): string {
    switch (step.do) {
      case "fail":
        return this.to(step.node, "fail", (node) => this.fail(node), "stops answering");
      case "power-off":
        return this.to(step.node, "fail", (node) => this.powerOff(node), "loses its power");
      case "recover":
        return this.undo(step.node, "fail", (node) => this.boot(node), "answers again");
      case "cordon":
        return this.to(step.node, "cordon", (node) => this.cordon(node, true), "is cordoned");
      case "uncordon":
        return this.undo(step.node, "cordon", (node) => this.cordon(node, false), "is uncordoned");
      case "drain":
        return this.to(step.node, "cordon", (node) => this.drain(node), "is drained");
      case "unready":
        return this.to(step.node, "unready", (node) => this.workloads.setReady(node, false), "has unready pods");
      case "ready":
        return this.undo(step.node, "unready", (node) => this.workloads.setReady(node, true), "has ready pods again");
      case "remove":
        return this.to(step.node, "fail", (node) => this.remove(node), "is deleted, its droplet too");
    }
  }

  /** New nodes, which boot for a while. */
  add(group: string, count: number, bootMs = BOOT_MS): readonly string[] {
    return Array.from({ length: count }, () => this.create(group, undefined, bootMs));
  }

  /** Replaces all nodes of a group, new ones first. @param tell called with what happens */
  async upgrade(
    { group, to, atOnce, bootMs }: Upgrade,
    signal: AbortSignal,
    tell: (text: string) => void,
  ): Promise<void> {
    const { clock } = this.stage;
    const old = [...this.stage.nodesOf(group)];
    while (old.length > 0) {
      const leaving = old.splice(0, atOnce);
      const coming = leaving.map(() => this.create(group, to, bootMs));
      tell(`${namesText(coming)} boot${coming.length === 1 ? "s" : ""} with ${to}`);
      await clock.sleep(bootMs + DRAIN_MS, signal);
      for (const node of leaving) this.drain(node);
      tell(`${namesText(leaving)} ${leaving.length === 1 ? "is" : "are"} drained`);
      await clock.sleep(DRAIN_MS, signal);
      for (const node of leaving) this.remove(node);
    }
  }

  private to(ref: NodeRef, kind: Undone, act: (node: string) => void, told: string): string {
    if (ref.by === "all") throw new Error("this step takes one node");
    const node = findNode(this.stage, ref);
    act(node);
    this.done[kind].add(node);
    return `${node} ${told}`;
  }

  private undo(ref: NodeRef, kind: Undone, act: (node: string) => void, told: string): string {
    const alive = new Set(this.stage.nodes.map(({ metadata }) => metadata.name));
    const nodes =
      ref.by === "all" ? [...this.done[kind]].filter((node) => alive.has(node)) : [findNode(this.stage, ref)];
    for (const node of nodes) {
      act(node);
      this.done[kind].delete(node);
    }
    return nodes.length === 0 ? "nothing to undo" : nodes.map((node) => `${node} ${told}`).join(", ");
  }

  private create(group: string, version: string | undefined, bootMs: number): string {
    const { stage } = this;
    const node = stage.addNode(stage.group(group), { ready: false, ...(version === undefined ? {} : { version }) });
    stage.clock.setTimer(bootMs, () => {
      if (stage.nodes.some(({ metadata }) => metadata.name === node)) this.boot(node);
    });
    return node;
  }

  private powerOff(node: string): void {
    this.kubelets.setSilent(node, true);
    const timer = this.stage.clock.setTimer(NOT_READY_MS, () => {
      this.notReady.delete(node);
      this.fail(node);
    });
    this.notReady.set(node, timer);
  }

  private forget(node: string): void {
    this.notReady.get(node)?.cancel();
    this.notReady.delete(node);
    this.kubelets.setSilent(node, false);
  }

  /** The reason and message that the node controller sets for a silent kubelet. */
  private fail(node: string): void {
    this.kubelets.setSilent(node, true);
    this.condition(node, {
      status: "Unknown",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting status.",
    });
    this.taints(node, (taints) => [
      ...taints.filter(({ key }) => key !== UNREACHABLE),
      { key: UNREACHABLE, effect: "NoSchedule" },
      { key: UNREACHABLE, effect: "NoExecute" },
    ]);
  }

  private boot(node: string): void {
    this.forget(node);
    this.taints(node, (taints) => taints.filter(({ key }) => key !== UNREACHABLE && key !== NOT_READY));
    this.condition(node, { status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" });
  }

  private cordon(node: string, on: boolean): void {
    this.change(node, (spec) => ({ ...spec, unschedulable: on }));
  }

  private drain(node: string): void {
    this.cordon(node, true);
    this.workloads.drain(node);
  }

  private remove(node: string): void {
    this.forget(node);
    removeNode(this.stage.world, node);
  }

  private condition(node: string, ready: ConditionContent): void {
    const { kubernetes } = this.stage.world;
    kubernetes.change(
      refTo(node),
      (object) => {
        const [before] = listOf(at(object, "status", "conditions"));
        const conditions = [readyCondition(ready, kubernetes.timestamp(), objectOf(before))];
        return { ...object, status: { ...objectOf(object["status"]), conditions } };
      },
      "status",
    );
  }

  private taints(node: string, edit: (taints: readonly Taint[]) => readonly Taint[]): void {
    this.change(node, (spec) => {
      const { taints: old, ...rest } = spec;
      const taints = edit((old ?? []) as readonly Taint[]);
      return taints.length === 0 ? rest : { ...rest, taints };
    });
  }

  private change(node: string, edit: (spec: JsonObject) => JsonObject): void {
    const { kubernetes } = this.stage.world;
    kubernetes.change(refTo(node), (object) => ({ ...object, spec: edit(objectOf(object["spec"])) }));
  }
}

/** `edge-1 to edge-5`, `edge-1 and edge-7`. */
function namesText(names: readonly string[]): string {
  const [first = "", last = first] = [names[0], names.at(-1)];
  if (names.length < 3) return names.join(" and ");
  return `${first} to ${last}`;
}

function refTo(name: string) {
  return { apiVersion: "v1", kind: "Node", name };
}
