/**
 * Stands in for the workload controllers: DaemonSets and Deployments get pods, Deployments new ones in a rolling update,
 * and Services their EndpointSlices. Enough for `match`, RoutedIPs and drains, no more.
 */

import { createHash } from "node:crypto";
import type { Taint } from "cdk8s-flipop/api";
import type { Emulator } from "../../kubernetes/index.js";
import { at, isObject, listOf } from "../../kubernetes/json.js";
import type { StoryClock } from "../clock.js";
import { syncEndpointSlices } from "../endpoint-slices.js";
import { isReady, isTerminating, type Pod, Pods, type Workload } from "../pods.js";
import { isTolerated, type NodeObject } from "../rules/judge.js";

const APPS = "apps/v1";
const HASH_LABEL = "pod-template-hash";
const HASH_LENGTH = 10;

export class Workloads {
  private readonly pods: Pods;
  private revision = 0;
  private next = 1;
  private readonly end: () => void;

  constructor(
    private readonly kubernetes: Emulator,
    clock: StoryClock,
  ) {
    this.pods = new Pods(kubernetes, clock, () => this.sync(true));
    this.end = clock.onStep(() => this.sync());
  }

  stop(): void {
    this.end();
  }

  /** Makes the pods of a node unready, or ready again. Throws where it has none. */
  setReady(node: string, ready: boolean): void {
    const pods = this.pods.all().filter(({ spec }) => spec.nodeName === node);
    if (pods.length === 0) throw new Error(`no pod runs on ${node}: apply a DaemonSet that selects it first`);
    for (const pod of pods) this.pods.setBroken(pod, !ready);
    this.sync(true);
  }

  /** Evicts what a drain evicts: all but the pods of DaemonSets. */
  drain(node: string): void {
    for (const pod of this.pods.all().filter(({ spec }) => spec.nodeName === node)) {
      const owner = pod.metadata.ownerReferences?.[0]?.kind;
      if (owner !== "DaemonSet") this.pods.terminate(pod);
    }
    this.sync(true);
  }

  /** Brings pods in line with what there is; cheap when nothing changed. */
  sync(always = false): void {
    if (always) this.round();
    while (this.kubernetes.revision !== this.revision) this.round();
  }

  /** What one controller writes, another one may have waited for. */
  private round(): void {
    this.revision = this.kubernetes.revision;
    const nodes = this.kubernetes.list("v1", "Node") as readonly unknown[] as readonly NodeObject[];
    const names = new Set(nodes.map(({ metadata }) => metadata.name));
    for (const pod of this.pods.all()) if (!names.has(pod.spec.nodeName)) this.pods.remove(pod);
    for (const set of this.list("DaemonSet")) this.syncDaemonSet(set, nodes);
    for (const deployment of this.list("Deployment")) this.syncDeployment(deployment, nodes);
    const well = new Set(nodes.filter(isReady).map(({ metadata }) => metadata.name));
    this.pods.syncReadiness((node) => well.has(node));
    this.pods.syncEnds();
    syncEndpointSlices(this.kubernetes);
  }

  private syncDaemonSet(set: Workload, nodes: readonly NodeObject[]): void {
    const have = new Set(this.pods.of(set).map(({ spec }) => spec.nodeName));
    const selected = new Set(nodes.filter((node) => selects(set, node)).map(({ metadata }) => metadata.name));
    for (const pod of this.pods.of(set)) if (!selected.has(pod.spec.nodeName)) this.pods.terminate(pod);
    for (const node of nodes) {
      const nodeName = node.metadata.name;
      if (!selected.has(nodeName) || have.has(nodeName) || !admits(node, set)) continue;
      this.pods.create({ owner: set, nodeName, suffix: nodeName });
    }
  }

  /** Rolling update with maxSurge 1 and maxUnavailable 0, as 25 % of few replicas are. */
  private syncDeployment(deployment: Workload, nodes: readonly NodeObject[]): void {
    const hash = hashOf(deployment);
    const replicas = deployment.spec.replicas ?? 1;
    const current = () => this.pods.of(deployment).filter((pod) => !isTerminating(pod));
    const isStale = ({ metadata }: Pod) => metadata.labels?.[HASH_LABEL] !== hash;
    const stale = current().filter(isStale);
    const fresh = current().length - stale.length;
    const room = Math.min(replicas - fresh, replicas + Math.sign(stale.length) - current().length);
    for (let count = 0; count < room; count++) {
      const nodeName = this.placeFor(deployment, nodes);
      if (nodeName === undefined) return;
      const suffix = `${hash}-${this.next++}`;
      this.pods.create({ owner: deployment, nodeName, suffix, labels: { [HASH_LABEL]: hash } });
    }
    const spare = current().filter(isReady).length - replicas;
    const leaving = [...stale].sort((a, b) => Number(isReady(a)) - Number(isReady(b)));
    for (const pod of leaving.slice(0, Math.max(0, spare))) this.pods.terminate(pod);
  }

  /** The node with the fewest pods of all that may have it; two pods can't share a hostPort. */
  private placeFor(deployment: Workload, nodes: readonly NodeObject[]): string | undefined {
    const all = this.pods.all();
    const podsOn = ({ metadata }: NodeObject) => all.filter(({ spec }) => spec.nodeName === metadata.name);
    const wanted = hostPorts(deployment.spec.template.spec);
    const places = nodes
      .filter((node) => selects(deployment, node) && admits(node, deployment))
      .filter((node) => isReady(node) && !node.spec.unschedulable)
      .filter((node) => !podsOn(node).some(({ spec }) => hostPorts(spec).some((port) => wanted.includes(port))));
    return [...places].sort((a, b) => podsOn(a).length - podsOn(b).length)[0]?.metadata.name;
  }

  private list(kind: string): readonly Workload[] {
    const all = this.kubernetes.list(APPS, kind) as readonly unknown[] as readonly Workload[];
    return all.filter((workload) => !isTerminating(workload));
  }
}

function hashOf({ spec }: Workload): string {
  return createHash("sha256").update(JSON.stringify(spec.template)).digest("hex").slice(0, HASH_LENGTH);
}

/** `5060/UDP`. */
function hostPorts(spec: object): readonly string[] {
  const ports = listOf(at(spec, "containers")).flatMap((container) => listOf(at(container, "ports")));
  return ports.flatMap((port) => {
    const hostPort = at(port, "hostPort");
    return typeof hostPort === "number" ? [`${hostPort}/${String(at(port, "protocol") ?? "TCP")}`] : [];
  });
}

function selects({ spec }: Workload, { metadata }: NodeObject): boolean {
  const selector = spec.template.spec["nodeSelector"];
  if (!isObject(selector)) return true;
  return Object.entries(selector).every(([key, value]) => metadata.labels?.[key] === value);
}

/** A taint keeps new pods off a node, and leaves those that run there; a real NoExecute would evict them. */
function admits({ spec: { taints = [] } }: NodeObject, { spec }: Workload): boolean {
  const tolerations = listOf(spec.template.spec["tolerations"]) as readonly object[];
  return taints.filter(keepsPodsOff).every((taint) => isTolerated({ tolerations }, taint));
}

/** Not those of Kubernetes itself: they repeat the node's conditions, and DaemonSets tolerate most of them. */
function keepsPodsOff({ key, effect }: Taint): boolean {
  return effect !== "PreferNoSchedule" && !key.startsWith("node.kubernetes.io/");
}
