import { type SlimNode, slimNodes } from "../../src/kube/cache/slim-objects.js";
import { isNotFound } from "../../src/kube/client.js";
import type { KubeObject } from "../../src/kube/objects.js";
import type { Transport } from "../../src/kube/transport/transport.js";

const NODES = "/api/v1/nodes";
let fleets = 0;

/** Nodes of one test on a real API server, made, changed and looked at as the admin. */
export class NodeFleet {
  readonly prefix = `fleet-${process.pid}-${++fleets}`;

  constructor(
    private readonly admin: Transport,
    private readonly annotationPrefix: string,
  ) {}

  /** Creates the node or gives it another external address. */
  async put(name: string, address: string): Promise<void> {
    const path = `${NODES}/${this.prefix}-${name}`;
    const body = { status: { addresses: [{ type: "ExternalIP", address }] } };
    const patch = () => this.admin.request({ method: "PATCH", path: `${path}/status`, body });
    try {
      await patch();
    } catch (error) {
      if (!isNotFound(error)) throw error;
      // An object that is created without any field is never given managedFields.
      const metadata = { name: `${this.prefix}-${name}`, labels: { fleet: this.prefix } };
      await this.admin.request({ method: "POST", path: NODES, body: { metadata } });
      await patch();
    }
  }

  async remove(name: string): Promise<void> {
    await this.admin.request({ method: "DELETE", path: `${NODES}/${this.prefix}-${name}` }).catch(() => {});
  }

  /** All nodes of the server, as a store would hold them. */
  async list(): Promise<SlimNode[]> {
    const { items } = await this.admin.request<{ items: KubeObject[] }>({ method: "GET", path: NODES });
    return items.map(slimNodes([this.annotationPrefix]));
  }

  async removeAll(): Promise<void> {
    for (const { name } of await this.list()) {
      if (name.startsWith(`${this.prefix}-`)) await this.remove(name.slice(this.prefix.length + 1));
    }
  }
}
