import { randomBytes } from "node:crypto";
import type { Client } from "../client/client.js";
import type { KubeObject } from "../client/resource-path.js";

/** An address of a node. */
export interface NodeAddress {
  readonly type: "InternalIP" | "ExternalIP" | "Hostname" | "InternalDNS" | "ExternalDNS";
  readonly address: string;
}

/** A taint of a node. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
}

/** Properties of a fake node. */
export interface FakeNodeSpec {
  /** @default - a name of its own */
  readonly name?: string;
  /** @default true */
  readonly ready?: boolean;
  readonly addresses?: readonly NodeAddress[];
  /** Such as `digitalocean://1234`. */
  readonly providerID?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  /** Cordoned. @default false */
  readonly unschedulable?: boolean;
}

/**
 * A Node without a machine. This class sets its conditions; only a controller manager adds the taints that follow from
 * them.
 */
export class FakeNode {
  /** Creates the node, by default ready. */
  static async create(client: Client, spec: FakeNodeSpec = {}): Promise<FakeNode> {
    const node = new FakeNode(client, spec.name ?? `node-${randomBytes(4).toString("hex")}`);
    await client.must.create("/api/v1/nodes", nodeBody(node.name, spec));
    await node.patchStatus({ addresses: spec.addresses ?? [] });
    await node.setReady(spec.ready ?? true);
    // Admission has added the not-ready taint, which only a controller manager would remove.
    await node.setTaints(spec.taints ?? []);
    return node;
  }

  private constructor(
    private readonly client: Client,
    readonly name: string,
  ) {}

  /** Path of the node in the API. */
  get path(): string {
    return `/api/v1/nodes/${this.name}`;
  }

  /** The node as it is now. */
  get(): Promise<KubeObject> {
    return this.client.must.get(this.path);
  }

  /** Sets the Ready condition; "Unknown" means that the node no longer reports. */
  async setReady(ready: boolean | "Unknown"): Promise<void> {
    await this.setCondition("Ready", condition(ready), ready === true ? "KubeletReady" : "KubeletNotReady");
  }

  /** Sets any condition. */
  async setCondition(type: string, status: "True" | "False" | "Unknown", reason = "Test"): Promise<void> {
    const now = new Date().toISOString().replace(/\.\d+Z$/, "Z");
    const times = { lastHeartbeatTime: now, lastTransitionTime: now };
    await this.patchStatus({ conditions: [{ type, status, reason, message: "", ...times }] });
  }

  /** Replaces the addresses. */
  async setAddresses(addresses: readonly NodeAddress[]): Promise<void> {
    // A strategic merge keeps addresses of other types, so this uses a merge patch, which replaces the list.
    await this.client.must.patch(`${this.path}/status`, { status: { addresses } });
  }

  /** Replaces the taints. */
  async setTaints(taints: readonly Taint[]): Promise<void> {
    await this.patch({ spec: { taints } });
  }

  /** Sets labels; null removes one. */
  async setLabels(labels: Readonly<Record<string, string | null>>): Promise<void> {
    await this.patch({ metadata: { labels } });
  }

  /** Cordons the node. */
  async cordon(): Promise<void> {
    await this.patch({ spec: { unschedulable: true } });
  }

  /** Uncordons the node. */
  async uncordon(): Promise<void> {
    await this.patch({ spec: { unschedulable: null } });
  }

  /** Changes the node by a merge patch. */
  async patch(body: unknown): Promise<void> {
    await this.client.must.patch(this.path, body);
  }

  /** Deletes the node. */
  async delete(): Promise<void> {
    await this.client.must.delete(this.path);
  }

  private async patchStatus(status: unknown): Promise<void> {
    await this.client.must.patch(`${this.path}/status`, { status }, "strategic");
  }
}

function nodeBody(name: string, spec: FakeNodeSpec) {
  const { labels, annotations, providerID, unschedulable } = spec;
  return {
    metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels }, annotations },
    spec: { providerID, unschedulable },
  };
}

function condition(ready: boolean | "Unknown"): "True" | "False" | "Unknown" {
  if (ready === "Unknown") return ready;
  return ready ? "True" : "False";
}
