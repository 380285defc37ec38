/**
 * Stands in for the workload controllers and the kubelets: DaemonSets and Deployments get pods that run nothing and are
 * ready after 3 s, while their node is. Enough for `match` and for drains, no more.
 */

import type { ApiObject, Emulator } from "../kubernetes/index.js";
import { at, isObject, type JsonObject, objectOf, textOf } from "../kubernetes/json.js";
import type { StoryClock } from "./clock.js";
import type { NodeObject } from "./judge.js";

interface Workload extends ApiObject {
  readonly spec: {
    readonly replicas?: number;
    readonly template: { readonly metadata?: JsonObject; readonly spec: JsonObject };
  };
}

interface Pod extends ApiObject {
  readonly spec: { readonly nodeName: string };
}

const POD_START_MS = 3_000;
const APPS = "apps/v1";

export class Workloads {
  /** Pods, by name, that a scenario made unready. */
  private readonly broken = new Set<string>();
  private readonly started = new Set<string>();
  private revision = 0;
  private next = 1;
  private readonly end: () => void;

  constructor(
    private readonly kubernetes: Emulator,
    private readonly clock: StoryClock,
  ) {
    this.end = clock.onStep(() => this.sync());
  }

  stop(): void {
    this.end();
  }

  /** Makes the pods of a node unready, or ready again. Throws where it has none. */
  setReady(node: string, ready: boolean): void {
    const pods = this.pods().filter(({ spec }) => spec.nodeName === node);
    if (pods.length === 0) throw new Error(`no pod runs on ${node}: apply a DaemonSet that selects it first`);
    for (const { metadata } of pods) {
      if (ready) this.broken.delete(metadata.name);
      else this.broken.add(metadata.name);
    }
    this.sync(true);
  }

  /** Evicts what a drain evicts: all but the pods of DaemonSets. */
  drain(node: string): void {
    for (const pod of this.pods().filter(({ spec }) => spec.nodeName === node)) {
      const owner = pod.metadata.ownerReferences?.[0]?.kind;
      if (owner !== "DaemonSet") this.remove(pod);
    }
    this.sync(true);
  }

  /** Brings pods in line with what there is; cheap when nothing changed. */
  sync(always = false): void {
    if (!always && this.kubernetes.revision === this.revision) return;
    const nodes = this.kubernetes.list("v1", "Node") as readonly unknown[] as readonly NodeObject[];
    const names = new Set(nodes.map(({ metadata }) => metadata.name));
    for (const pod of this.pods()) if (!names.has(pod.spec.nodeName)) this.remove(pod);
    for (const set of this.list("DaemonSet")) this.syncDaemonSet(set, nodes);
    for (const deployment of this.list("Deployment")) this.syncDeployment(deployment, nodes);
    this.syncReadiness(nodes);
    this.revision = this.kubernetes.revision;
  }

  private syncDaemonSet(set: Workload, nodes: readonly NodeObject[]): void {
    const have = new Set(this.podsOf(set).map(({ spec }) => spec.nodeName));
    for (const node of nodes.filter((candidate) => selects(set, candidate))) {
      if (!have.has(node.metadata.name)) this.create(set, node.metadata.name, node.metadata.name);
    }
  }

  private syncDeployment(deployment: Workload, nodes: readonly NodeObject[]): void {
    const places = nodes.filter((node) => selects(deployment, node) && isReady(node) && !node.spec.unschedulable);
    for (let pods = this.podsOf(deployment); pods.length < (deployment.spec.replicas ?? 1); ) {
      const load = (node: NodeObject) => pods.filter(({ spec }) => spec.nodeName === node.metadata.name).length;
      const [best] = [...places].sort((a, b) => load(a) - load(b));
      if (best === undefined) return;
      this.create(deployment, best.metadata.name, String(this.next++));
      pods = this.podsOf(deployment);
    }
  }

  private syncReadiness(nodes: readonly NodeObject[]): void {
    const well = new Set(nodes.filter(isReady).map(({ metadata }) => metadata.name));
    for (const pod of this.pods()) {
      const { name } = pod.metadata;
      const ready = this.started.has(name) && well.has(pod.spec.nodeName) && !this.broken.has(name);
      if (isReady(pod) !== ready) this.write(pod, ready);
    }
  }

  private create(owner: Workload, nodeName: string, suffix: string): void {
    const { metadata = {}, spec } = owner.spec.template;
    const name = `${owner.metadata.name}-${suffix}`;
    const { kind, metadata: own } = owner;
    const pod = this.kubernetes.create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name,
        namespace: own.namespace,
        labels: objectOf(metadata.labels),
        ownerReferences: [{ apiVersion: APPS, kind, name: own.name, uid: own.uid, controller: true }],
      },
      spec: { ...spec, nodeName },
    });
    this.started.delete(name);
    this.write(pod, false);
    this.clock.setTimer(POD_START_MS, () => {
      this.started.add(name);
      this.sync(true);
    });
  }

  private write(pod: ApiObject, ready: boolean): void {
    const status = ready ? "True" : "False";
    const containers = at(pod, "spec", "containers");
    const statuses = Array.isArray(containers)
      ? containers.map((one) => ({ name: textOf(at(one, "name")), ready }))
      : [];
    const next = {
      phase: "Running",
      conditions: [{ type: "Ready", status }],
      containerStatuses: statuses.map((one) => ({ ...one, restartCount: 0, image: "", imageID: "" })),
    };
    this.kubernetes.change(refTo(pod), (object) => ({ ...object, status: next }), "status");
  }

  private remove(pod: Pod): void {
    this.broken.delete(pod.metadata.name);
    this.kubernetes.delete(refTo(pod));
  }

  private podsOf(owner: Workload): readonly Pod[] {
    return this.pods().filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid === owner.metadata.uid);
  }

  /** Those made here: what a person runs with kubectl is left as it is. */
  private pods(): readonly Pod[] {
    const all = this.kubernetes.list("v1", "Pod") as readonly unknown[] as readonly Pod[];
    return all.filter(({ metadata }) => metadata.ownerReferences?.[0]?.apiVersion === APPS);
  }

  private list(kind: string): readonly Workload[] {
    const all = this.kubernetes.list(APPS, kind) as readonly unknown[] as readonly Workload[];
    return all.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }
}

function selects({ spec }: Workload, { metadata }: NodeObject): boolean {
  const selector = spec.template.spec["nodeSelector"];
  if (!isObject(selector)) return true;
  return Object.entries(selector).every(([key, value]) => metadata.labels?.[key] === value);
}

function isReady(object: object): boolean {
  const conditions = at(object, "status", "conditions");
  return (
    Array.isArray(conditions) && conditions.some((one) => at(one, "type") === "Ready" && at(one, "status") === "True")
  );
}

function refTo({ apiVersion, kind, metadata: { name, namespace } }: ApiObject) {
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}
