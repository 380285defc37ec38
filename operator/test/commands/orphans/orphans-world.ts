/** A cluster and an account with addresses that no resource knows. */

import { Annotation, GROUP_VERSION } from "cdk8s-flipop/api";
import { type DigitalOceanSimulator, startDigitalOceanSimulator } from "flipop-sandbox/digitalocean";
import { type Emulator, startEmulator } from "flipop-sandbox/kubernetes";
import { addNode } from "flipop-sandbox/nodes";
import { Flipop } from "../flipop.js";

export const POOL = { apiVersion: GROUP_VERSION, kind: "FloatingIPPool" };

interface Addresses {
  /** In the spec of pool web. */
  readonly listed: string;
  /** Of pool web, too, which created it. */
  readonly created: string;
  readonly free: string;
  /** On the only node, for a pool that is gone. */
  readonly held: string;
  /** On a machine that is no node. */
  readonly foreign: string;
}

export class OrphansWorld {
  readonly flipop: Flipop;

  private constructor(
    readonly kubernetes: Emulator,
    readonly digitalocean: DigitalOceanSimulator,
    readonly ips: Addresses,
  ) {
    this.flipop = new Flipop(kubernetes.kubeconfig(), this.env());
  }

  static async start(): Promise<OrphansWorld> {
    const kubernetes = await startEmulator();
    const durations = { unassign: 100 };
    const digitalocean = await startDigitalOceanSimulator({ account: { reservedIpLimit: 10 }, durations });
    const { state } = digitalocean;
    const machine = addNode({ kubernetes, digitalocean }, { name: "node-1" });
    const unheld = () => state.addAddress({ region: "nyc3" }).ip;
    const ips = {
      ...{ listed: unheld(), created: unheld(), free: unheld() },
      held: state.addAddress({ dropletId: Number(machine.split("//")[1]) }).ip,
      foreign: state.addAddress({ dropletId: state.addDroplet({ name: "vm" }).id }).ip,
    };
    const annotations = { [Annotation.reservedIpv4]: ips.held, [Annotation.reservedIpv4Owner]: "ingress/old/uid-1" };
    kubernetes.change({ apiVersion: "v1", kind: "Node", name: "node-1" }, (node) => ({
      ...node,
      metadata: { ...(node["metadata"] as object), annotations },
    }));
    const world = new OrphansWorld(kubernetes, digitalocean, ips);
    const createdIPs = [{ ip: ips.created, createdTime: "2026-01-01T00:00:00Z" }];
    world.addPool("web", { ips: [ips.listed] }, { createdIPs });
    return world;
  }

  async close(): Promise<void> {
    this.flipop.close();
    await Promise.all([this.kubernetes.close(), this.digitalocean.close()]);
  }

  env() {
    return { DIGITALOCEAN_ACCESS_TOKEN: this.digitalocean.token, DIGITALOCEAN_API_URL: this.digitalocean.url };
  }

  addPool(name: string, spec: object, status: object): void {
    const match = { nodeLabel: "pool=work" };
    const metadata = { name, namespace: "default" };
    this.kubernetes.create({ ...POOL, metadata, spec: { provider: "digitalocean", match, ...spec }, status });
  }

  machineOf(ip: string): string {
    return `digitalocean://${this.digitalocean.state.address(ip).dropletId}`;
  }

  exists(ip: string): boolean {
    return this.digitalocean.state.addresses().some((address) => address.ip === ip);
  }
}
