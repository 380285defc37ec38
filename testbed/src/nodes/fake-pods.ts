import { randomBytes } from "node:crypto";
import type { Client } from "../client/client.js";
import type { KubeObject } from "../client/resource-path.js";

/** Properties of a fake pod. */
export interface FakePodSpec {
  readonly namespace: string;
  /** @default - a name of its own */
  readonly name?: string;
  /** The node that it runs on. @default - none, the pod is pending */
  readonly nodeName?: string;
  /** @default true when it has a node */
  readonly ready?: boolean;
  /** @default - an address of its own in 10.244.0.0/16 */
  readonly ip?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Further fields of the pod's spec. */
  readonly spec?: Readonly<Record<string, unknown>>;
}

let lastAddress = 0;

/** A Pod without processes; this class sets its status. */
export class FakePod {
  /** Creates the pod; on a node it is running and, by default, ready. */
  static async create(client: Client, spec: FakePodSpec): Promise<FakePod> {
    const name = spec.name ?? `pod-${randomBytes(4).toString("hex")}`;
    const pod = new FakePod(client, spec.namespace, name, spec.ip ?? nextAddress());
    await client.must.create(`/api/v1/namespaces/${spec.namespace}/pods`, podBody(name, spec));
    if (spec.nodeName !== undefined) await pod.setReady(spec.ready ?? true);
    return pod;
  }

  private constructor(
    private readonly client: Client,
    readonly namespace: string,
    readonly name: string,
    readonly ip: string,
  ) {}

  /** Path of the pod in the API. */
  get path(): string {
    return `/api/v1/namespaces/${this.namespace}/pods/${this.name}`;
  }

  /** The pod as it is now. */
  get(): Promise<KubeObject> {
    return this.client.must.get(this.path);
  }

  /** Sets the pod to Running, ready or not. */
  async setReady(ready: boolean): Promise<void> {
    const status = ready ? "True" : "False";
    const conditions = [
      { type: "PodScheduled", status: "True" },
      { type: "Initialized", status: "True" },
      { type: "ContainersReady", status },
      { type: "Ready", status },
    ];
    const now = new Date().toISOString();
    await this.patchStatus({
      phase: "Running",
      podIP: this.ip,
      podIPs: [{ ip: this.ip }],
      startTime: now,
      conditions: conditions.map((one) => ({ ...one, lastTransitionTime: now })),
    });
  }

  /** Sets the pod to Succeeded or Failed. */
  async setPhase(phase: "Succeeded" | "Failed" | "Pending" | "Unknown"): Promise<void> {
    const conditions = ["ContainersReady", "Ready"].map((type) => ({ type, status: "False" }));
    await this.patchStatus({ phase, conditions });
  }

  /** Changes the pod by a merge patch. */
  async patch(body: unknown): Promise<void> {
    await this.client.must.patch(this.path, body);
  }

  /** Deletes the pod. With a grace period it stays in state terminating, because no kubelet confirms its end. */
  async delete(gracePeriodSeconds = 0): Promise<void> {
    await this.client.must.delete(this.path, { gracePeriodSeconds });
  }

  private async patchStatus(status: unknown): Promise<void> {
    await this.client.must.patch(`${this.path}/status`, { status }, "strategic");
  }
}

function podBody(name: string, { nodeName, labels, annotations, spec }: FakePodSpec) {
  return {
    metadata: { name, labels, annotations },
    // The tolerations keep the controller manager from evicting the pod from a node that a test makes unready.
    spec: {
      nodeName,
      containers: [{ name: "main", image: "example.invalid/none" }],
      tolerations: [{ operator: "Exists" }],
      ...spec,
    },
  };
}

function nextAddress(): string {
  lastAddress += 1;
  return `10.244.${Math.floor(lastAddress / 250) % 256}.${(lastAddress % 250) + 1}`;
}
