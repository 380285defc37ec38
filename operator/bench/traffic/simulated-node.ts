/** A node of the simulated network: a machine, a service on it, and what a kubelet reports of both. */

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { FakePod } from "flipop-testbed";
import type { Machine } from "../../test/e2e/support/fleet.js";
import { Kubelet } from "../../test/e2e/support/kubelet.js";
import type { World } from "../../test/e2e/support/world.js";
import type { Network, Party } from "./network.js";

/** Labels of the pods of the service. */
export const SERVICE_LABELS = { app: "traffic" };
export const SERVICE_PORT = 8080;
/** Labels of the nodes that have not failed yet. */
export const FRESH_LABELS = { traffic: "fresh" };

export interface NodeParts {
  readonly world: World;
  readonly network: Network;
  /** Bundle of `children/service.ts`. */
  readonly serviceScript: string;
  /** That the service answers on. */
  readonly address: string;
  /** How long the Lease of a kubelet lasts. */
  readonly leaseSeconds: number;
}

export class SimulatedNode {
  static async create(name: string, parts: NodeParts): Promise<SimulatedNode> {
    const { world, network, address } = parts;
    const party = await network.add();
    party.accept(address);
    const machine = await world.fleet.add(name, {
      ...{ labels: FRESH_LABELS, addresses: [{ type: "InternalIP", address: party.address }] },
    });
    const pod = await world.fleet.runPod(machine, world.namespace, SERVICE_LABELS);
    const node = new SimulatedNode(parts, { party, machine, pod });
    await node.startService();
    await node.kubelet.start();
    return node;
  }

  private service: ChildProcess | undefined;
  readonly kubelet: Kubelet;

  private constructor(
    private readonly parts: NodeParts,
    readonly facts: { readonly party: Party; readonly machine: Machine; readonly pod: FakePod },
  ) {
    this.kubelet = new Kubelet(parts.world.client, facts.machine.name, parts.leaseSeconds);
  }

  get name(): string {
    return this.facts.machine.name;
  }

  get link(): number {
    return this.facts.party.link;
  }

  /** The machine and its kubelet are away, as with a power failure. */
  unplug(): void {
    this.facts.party.setUp(false);
    this.kubelet.stop();
  }

  async plugIn(): Promise<void> {
    this.facts.party.setUp(true);
    await this.kubelet.start();
  }

  /** The node no longer matches: its failure neither damps it nor counts towards a mass failure. */
  async retire(): Promise<void> {
    const { node } = this.facts.machine;
    const labels = Object.fromEntries(Object.keys(FRESH_LABELS).map((label) => [label, null]));
    await this.parts.world.client.must.patch(node.path, { metadata: { labels } });
  }

  async startService(): Promise<void> {
    const { serviceScript, address } = this.parts;
    this.service = await this.facts.party.start(serviceScript, [this.name, address, String(SERVICE_PORT)]);
  }

  async killService(): Promise<void> {
    const { service } = this;
    if (service === undefined) return;
    service.kill("SIGKILL");
    if (service.exitCode === null && service.signalCode === null) await once(service, "exit");
  }

  /** The kernel goes on to accept connections; no request gets an answer. */
  hangService(doesHang: boolean): void {
    this.service?.kill(doesHang ? "SIGSTOP" : "SIGCONT");
  }

  /** @param share of the packets that the router drops, both ways */
  losePackets(share: number): void {
    this.parts.network.lose(this.link, share);
  }
}
