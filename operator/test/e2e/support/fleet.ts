/** Nodes of a test: each is a droplet of the simulated account and a Node of the real API server. */

import type { DigitalOceanSimulator, DropletData } from "flipop-sandbox/digitalocean";
import { type Client, FakeNode, type FakeNodeSpec, FakePod } from "flipop-testbed";

/** What a machine is to be; the provider id and the addresses are those of its droplet, where nothing else is said. */
export interface MachineSpec extends FakeNodeSpec {
  /** `v1.35.4` */
  readonly kubeletVersion?: string;
  /** Without a droplet there must be a `providerID`, or none. @default true */
  readonly droplet?: boolean;
  /** Region of the droplet, and the node's label. @default nyc3 */
  readonly region?: string;
}

/** A node and its droplet. */
export interface Machine {
  readonly name: string;
  readonly node: FakeNode;
  /** 0: it has no droplet. */
  readonly dropletId: number;
  /** Its own public address, empty without a droplet. */
  readonly publicIp: string;
  /** Its address in the private network, empty without a droplet. */
  readonly privateIp: string;
}

export class Fleet {
  private readonly machines: Machine[] = [];

  /** @param id part of every name, and value of the label `e2e`: nodes are cluster-wide. */
  constructor(
    private readonly client: Client,
    private readonly digitalocean: DigitalOceanSimulator,
    private readonly id: string,
  ) {}

  /** `match.nodeLabel` for the nodes of this fleet. */
  get nodeLabel(): string {
    return `e2e=${this.id}`;
  }

  /** The node of a machine by its short name. */
  nameOf(name: string): string {
    return `${this.id}-${name}`;
  }

  /** @param name short, such as `a`. */
  async add(name: string, spec: MachineSpec = {}): Promise<Machine> {
    const { kubeletVersion, droplet = true, region, ...nodeSpec } = spec;
    const made = droplet ? this.digitalocean.state.addDroplet({ name, ...(region && { region }) }) : undefined;
    const labels = { e2e: this.id, ...(region && { "topology.kubernetes.io/region": region }), ...nodeSpec.labels };
    const whole = { ...(made && placeOf(made)), ...nodeSpec, name: this.nameOf(name), labels };
    const node = await FakeNode.create(this.client, whole);
    if (kubeletVersion !== undefined) {
      await this.client.must.patch(`${node.path}/status`, { status: { nodeInfo: { kubeletVersion } } }, "strategic");
    }
    const machine = { name: node.name, node, ...(made === undefined ? NO_DROPLET : factsOf(made)) };
    this.machines.push(machine);
    return machine;
  }

  /** Several at once, by their short names. */
  addAll(names: readonly string[], spec: MachineSpec = {}): Promise<Machine[]> {
    return Promise.all(names.map((name) => this.add(name, spec)));
  }

  /** A pod of the workload on a machine, running and ready. */
  runPod({ node }: Machine, namespace: string, labels: Readonly<Record<string, string>>): Promise<FakePod> {
    return FakePod.create(this.client, { namespace, nodeName: node.name, labels });
  }

  /** The machine that holds an address now; undefined: none of this fleet. */
  holderOf(ip: string): Machine | undefined {
    const { dropletId } = this.digitalocean.state.address(ip);
    return dropletId === null ? undefined : this.machines.find((machine) => machine.dropletId === dropletId);
  }

  /** As an autoscaler does: the node goes, and the droplet with it. */
  async remove(machine: Machine): Promise<void> {
    await machine.node.delete();
    if (machine.dropletId !== 0) this.digitalocean.state.deleteDroplet(machine.dropletId);
  }

  /** Deletes all nodes; the droplets go with the simulator. */
  async close(): Promise<void> {
    await this.client.must.delete("/api/v1/nodes", undefined, { labelSelector: this.nodeLabel });
  }
}

type Droplet = Pick<DropletData, "id" | "publicIp" | "privateIp">;

const NO_DROPLET = { dropletId: 0, publicIp: "", privateIp: "" };

function factsOf({ id, publicIp, privateIp }: Droplet) {
  return { dropletId: id, publicIp, privateIp };
}

/** What a cloud controller manager writes into a node. */
function placeOf({ id, publicIp, privateIp }: Droplet): Pick<FakeNodeSpec, "providerID" | "addresses"> {
  return {
    providerID: `digitalocean://${id}`,
    addresses: [
      { type: "InternalIP", address: privateIp },
      { type: "ExternalIP", address: publicIp },
    ],
  };
}
