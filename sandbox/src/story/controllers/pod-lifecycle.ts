/** Stands in for the kubelets: pods run nothing, are ready after 3 s while their node is, and end with their grace. */

import type { ApiObject, Emulator } from "../../kubernetes/index.js";
import { at, type JsonObject, listOf, objectOf, textOf } from "../../kubernetes/json.js";
import type { StoryClock } from "../clock.js";

export interface Pod extends ApiObject {
  /** Without `nodeName` while it waits for a node. */
  readonly spec: JsonObject & { readonly nodeName?: string };
}

/** A DaemonSet or a Deployment. */
export interface Workload extends ApiObject {
  readonly spec: {
    readonly replicas?: number;
    readonly template: { readonly metadata?: JsonObject; readonly spec: JsonObject };
  };
}

export interface NewPod {
  readonly owner: Workload;
  /** The only node that it may have. @default any */
  readonly target?: string;
  /** Of its name. */
  readonly suffix: string;
  /** Beside those of the template. */
  readonly labels?: Readonly<Record<string, string>>;
}

const POD_START_MS = 3_000;
const APPS = "apps/v1";
/** The condition that shows whether a pod has a node. */
export const SCHEDULED = "PodScheduled";
const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const TERMS = "nodeSelectorTerms";
const NODE_NAME = "metadata.name";

export class Pods {
  /** Pods, by name, that a scenario made unready. */
  private readonly broken = new Set<string>();
  private readonly started = new Set<string>();
  /** Uids of those whose end is near. */
  private readonly ending = new Set<string>();
  private next = 1;

  /** @param changed called when a pod has started or ended */
  constructor(
    private readonly kubernetes: Emulator,
    private readonly clock: StoryClock,
    private readonly changed: () => void,
  ) {}

  /** Those made here: what a person runs with kubectl is left as it is. */
  all(): readonly Pod[] {
    const all = this.kubernetes.list("v1", "Pod") as readonly unknown[] as readonly Pod[];
    return all.filter(({ metadata }) => metadata.ownerReferences?.[0]?.apiVersion === APPS);
  }

  of(owner: Workload): readonly Pod[] {
    return this.all().filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid === owner.metadata.uid);
  }

  /** It waits for a node. */
  create({ owner, target, suffix, labels = {} }: NewPod): void {
    const { metadata = {}, spec } = owner.spec.template;
    const { kind, metadata: own } = owner;
    this.kubernetes.create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: `${own.name}-${suffix}`,
        namespace: own.namespace,
        labels: { ...objectOf(metadata.labels), ...labels },
        ownerReferences: [{ apiVersion: APPS, kind, name: own.name, uid: own.uid, controller: true }],
      },
      spec: target === undefined ? spec : { ...spec, affinity: affinityTo(target, spec["affinity"]) },
    });
  }

  /** Gives it its node, whose kubelet starts it. */
  bind(pod: Pod, node: string): void {
    const { name } = pod.metadata;
    this.kubernetes.bind(refTo(pod), node);
    this.started.delete(name);
    this.write(pod, false, podIp(this.next++));
    this.clock.setTimer(POD_START_MS, () => {
      this.started.add(name);
      this.changed();
    });
  }

  setBroken({ metadata: { name } }: Pod, broken: boolean): void {
    if (broken) this.broken.add(name);
    else this.broken.delete(name);
  }

  /** @param isWell whether the node of that name answers */
  syncReadiness(isWell: (node: string) => boolean): void {
    for (const pod of this.all()) {
      const { name } = pod.metadata;
      const { nodeName } = pod.spec;
      if (nodeName === undefined) continue;
      const ready = this.started.has(name) && isWell(nodeName) && !this.broken.has(name);
      if (isReady(pod) !== ready) this.write(pod, ready, textOf(at(pod, "status", "podIP")));
    }
  }

  /** It serves on until its grace is over. */
  terminate(pod: Pod): void {
    if (!isTerminating(pod)) this.kubernetes.delete(refTo(pod), graceSeconds(pod));
  }

  /** Ends those, in their time, that terminate, whoever asked for it. */
  syncEnds(): void {
    for (const pod of this.all().filter(isTerminating)) {
      const { uid, deletionGracePeriodSeconds = 0 } = pod.metadata;
      if (this.ending.has(uid)) continue;
      this.ending.add(uid);
      this.clock.setTimer(deletionGracePeriodSeconds * 1000, () => {
        this.remove(pod);
        this.changed();
      });
    }
  }

  /** At once. */
  remove(pod: Pod): void {
    const now = this.kubernetes.get(refTo(pod));
    if (now?.metadata.uid !== pod.metadata.uid) return;
    this.broken.delete(pod.metadata.name);
    this.kubernetes.delete(refTo(pod));
  }

  private write(pod: ApiObject, ready: boolean, podIP: string): void {
    const status = ready ? "True" : "False";
    const statuses = listOf(at(pod, "spec", "containers")).map((one) => ({ name: textOf(at(one, "name")), ready }));
    const next = {
      phase: "Running",
      podIP,
      conditions: [
        { type: SCHEDULED, status: "True" },
        { type: "Ready", status },
      ],
      containerStatuses: statuses.map((one) => ({ ...one, restartCount: 0, image: "", imageID: "" })),
    };
    this.kubernetes.change(refTo(pod), (object) => ({ ...object, status: next }), "status");
  }
}

export function isTerminating({ metadata }: ApiObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Of a pod or a node. */
export function isReady(object: object): boolean {
  const conditions = listOf(at(object, "status", "conditions"));
  return conditions.some((one) => at(one, "type") === "Ready" && at(one, "status") === "True");
}

/** The only node that a pod may have, as each of a DaemonSet has one. */
export function targetOf({ spec }: Pick<Pod, "spec">): string | undefined {
  const [term] = listOf(at(spec, "affinity", "nodeAffinity", REQUIRED, TERMS));
  const field = listOf(at(term, "matchFields")).find((one) => at(one, "key") === NODE_NAME);
  return field === undefined ? undefined : textOf(listOf(at(field, "values"))[0]);
}

/** As the DaemonSet controller changes the affinity of the template. */
function affinityTo(node: string, affinity: unknown): JsonObject {
  const given = listOf(at(affinity, "nodeAffinity", REQUIRED, TERMS));
  const matchFields = [{ key: NODE_NAME, operator: "In", values: [node] }];
  const terms = (given.length === 0 ? [{}] : given).map((term) => ({ ...objectOf(term), matchFields }));
  const nodeAffinity = { ...objectOf(at(affinity, "nodeAffinity")), [REQUIRED]: { [TERMS]: terms } };
  return { ...objectOf(affinity), nodeAffinity };
}

function graceSeconds(pod: Pod): number {
  const { terminationGracePeriodSeconds: seconds } = pod.spec;
  return typeof seconds === "number" ? seconds : 0;
}

function podIp(number: number): string {
  return `10.244.${Math.floor(number / 250)}.${(number % 250) + 1}`;
}

export function refTo({ apiVersion, kind, metadata: { name, namespace } }: ApiObject) {
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}
