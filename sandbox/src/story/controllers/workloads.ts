/**
 * Stands in for the workload controllers: DaemonSets and Deployments get pods, Deployments new ones in a rolling update,
 * and Services their EndpointSlices. Enough for `match`, RoutedIPs and drains, no more.
 */

import { createHash } from "node:crypto";
import type { Emulator } from "../../kubernetes/index.js";
import { at } from "../../kubernetes/json.js";
import type { StoryClock } from "../clock.js";
import type { NodeObject } from "../rules/serving-nodes.js";
import { syncEndpointSlices } from "./endpoint-slices.js";
import { isReady, isTerminating, type Pod, Pods, targetOf, type Workload } from "./pod-lifecycle.js";
import { admits, schedule, selects } from "./scheduler.js";
import { syncDaemonSetStatus, syncDeploymentStatus } from "./workload-status.js";

const APPS = "apps/v1";
const HASH_LABEL = "pod-template-hash";
const REVISION_LABEL = "controller-revision-hash";
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
    const isLost = ({ spec: { nodeName } }: Pod) => nodeName !== undefined && !names.has(nodeName);
    for (const pod of this.pods.all().filter(isLost)) this.pods.remove(pod);
    for (const set of this.list("DaemonSet")) this.syncDaemonSet(set, nodes);
    for (const deployment of this.list("Deployment")) this.syncDeployment(deployment);
    schedule(this.kubernetes, this.pods, nodes);
    const well = new Set(nodes.filter(isReady).map(({ metadata }) => metadata.name));
    this.pods.syncReadiness((node) => well.has(node));
    this.pods.syncEnds();
    this.syncStatus(nodes);
    syncEndpointSlices(this.kubernetes);
  }

  /** A taint keeps a node without a pod; a hostPort that is taken only makes the pod wait. */
  private syncDaemonSet(set: Workload, nodes: readonly NodeObject[]): void {
    const { spec } = set.spec.template;
    const labels = { [REVISION_LABEL]: hashOf(set) };
    const isFresh = freshness(set);
    const pods = this.pods.of(set);
    const selected = nodes.filter((node) => selects(spec, node));
    const names = new Set<string | undefined>(selected.map(({ metadata }) => metadata.name));
    const isOutdated = (pod: Pod) => pod.spec.nodeName === undefined && !isFresh(pod);
    for (const pod of pods) if (!names.has(targetOf(pod)) || isOutdated(pod)) this.pods.terminate(pod);
    this.rollDaemonSet(set);
    const have = new Set(pods.map(targetOf));
    for (const node of selected) {
      const { name } = node.metadata;
      if (!have.has(name) && admits(node, spec)) this.pods.create({ owner: set, suffix: name, target: name, labels });
    }
  }

  /** Rolling update with maxUnavailable 1, the default: the next pod ends when all others are ready. */
  private rollDaemonSet(set: Workload): void {
    if (at(set.spec, "updateStrategy", "type") === "OnDelete") return;
    const all = this.pods.of(set);
    const stale = all.filter((pod) => !freshness(set)(pod));
    if (all.some((pod) => isTerminating(pod))) return;
    const [next] = all.every(isReady) ? stale : stale.filter((pod) => !isReady(pod));
    if (next !== undefined) this.pods.terminate(next);
  }

  /** Rolling update with maxSurge 1 and maxUnavailable 0, as 25 % of few replicas are. */
  private syncDeployment(deployment: Workload): void {
    const hash = hashOf(deployment);
    const replicas = deployment.spec.replicas ?? 1;
    const isFresh = freshness(deployment);
    const current = () => this.current(deployment);
    const fresh = current().filter(isFresh);
    const stale = current().filter((pod) => !isFresh(pod));
    const room = Math.min(replicas - fresh.length, replicas + Math.sign(stale.length) - current().length);
    for (let count = 0; count < room; count++) {
      const suffix = `${hash}-${this.next++}`;
      this.pods.create({ owner: deployment, suffix, labels: { [HASH_LABEL]: hash } });
    }
    const spare = current().filter(isReady).length - replicas;
    const unready = stale.filter((pod) => !isReady(pod));
    this.terminate([...fresh].sort(byWorth), fresh.length - replicas);
    // One that waits for a node would otherwise hold up the update for good.
    this.terminate(unready, unready.length + spare);
    this.terminate(stale.filter(isReady), spare);
  }

  private syncStatus(nodes: readonly NodeObject[]): void {
    for (const deployment of this.list("Deployment")) {
      const counted = { pods: this.current(deployment), isFresh: freshness(deployment) };
      syncDeploymentStatus(this.kubernetes, deployment, counted);
    }
    for (const set of this.list("DaemonSet")) {
      const { spec } = set.spec.template;
      const desired = nodes.filter((node) => selects(spec, node) && admits(node, spec)).length;
      syncDaemonSetStatus(this.kubernetes, set, { pods: this.current(set), isFresh: freshness(set), desired });
    }
  }

  private current(workload: Workload): readonly Pod[] {
    return this.pods.of(workload).filter((pod) => !isTerminating(pod));
  }

  private terminate(pods: readonly Pod[], count: number): void {
    for (const pod of pods.slice(0, Math.max(0, count))) this.pods.terminate(pod);
  }

  private list(kind: string): readonly Workload[] {
    const all = this.kubernetes.list(APPS, kind) as readonly unknown[] as readonly Workload[];
    return all.filter((workload) => !isTerminating(workload));
  }
}

/** Whether a pod is of the template as it is now. */
function freshness(workload: Workload): (pod: Pod) => boolean {
  const hash = hashOf(workload);
  const label = workload.kind === "DaemonSet" ? REVISION_LABEL : HASH_LABEL;
  return ({ metadata }) => metadata.labels?.[label] === hash;
}

function hashOf({ spec }: Workload): string {
  return createHash("sha256").update(JSON.stringify(spec.template)).digest("hex").slice(0, HASH_LENGTH);
}

/** Those without a node first, then those that are not ready. */
function byWorth(a: Pod, b: Pod): number {
  const worth = (pod: Pod) => Number(pod.spec.nodeName !== undefined) + Number(isReady(pod));
  return worth(a) - worth(b);
}
