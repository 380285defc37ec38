/** Holders that die in silence. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Machine } from "../../test/e2e/support/fleet.js";
import { Kubelet } from "../../test/e2e/support/kubelet.js";
import { spareOne } from "../../test/e2e/support/spare.js";
import type { World } from "../../test/e2e/support/world.js";
import { hostClock } from "./messages.js";
import type { Network, Party } from "./network.js";
import { SERVICE_PORT } from "./simulated-node.js";

/** Nodes that are still there after the last death. */
const SPARE_NODES = 2;
/** Until the operator has probed a new holder and read its Lease. */
const KNOWN_MS = 3_000;
const WAIT_MS = 120_000;

/** One namespace answers for all nodes: a dead one is an address that the router leads nowhere. */
export interface Farm {
  readonly network: Network;
  readonly farm: Party;
  /** How long the Leases of the kubelets last. */
  readonly leaseSeconds: number;
}

export interface Deaths {
  readonly count: number;
  /** The time of the next call that assigns an address. */
  readonly nextAssign: (ip: string) => Promise<number>;
  /** Lets a replica on this node lead, and returns how to kill it. @default the leader stays */
  readonly standBy?: (node: string) => Promise<() => Promise<void>>;
}

/** A pool of one address whose holders die, one after the other. */
export class DyingPool {
  private readonly ip: string;
  private machines: readonly Machine[] = [];

  constructor(
    private readonly world: World,
    private readonly parts: Farm,
    private readonly index: number,
  ) {
    this.ip = spareOne(world);
  }

  /** A node for each death. */
  async prepare(deaths: number): Promise<this> {
    const { world, index } = this;
    const labels = { dying: `pool-${index}` };
    const names = Array.from({ length: deaths + SPARE_NODES }, (_, number) => `p${index}-n${number}`);
    this.machines = await Promise.all(names.map((name, number) => this.addNode(name, { labels, number })));
    const match = { nodeLabel: `${world.fleet.nodeLabel},dying=pool-${index}` };
    const healthCheck = { type: "TCP", port: SERVICE_PORT } as const;
    await world.pool(`dying-${index}`, { ips: [this.ip], match, healthCheck });
    return this;
  }

  /** @returns seconds from each death to the assign call */
  async play(deaths: Deaths): Promise<readonly number[]> {
    const seen: number[] = [];
    for (let run = 0; run < deaths.count; run++) seen.push(await this.die(deaths));
    return seen;
  }

  private async die({ nextAssign, standBy }: Deaths): Promise<number> {
    const { world, ip, parts } = this;
    await world.until(`${ip} to be on a node that works`, () => world.fleet.holderOf(ip) !== undefined, WAIT_MS);
    const machine = world.fleet.holderOf(ip);
    if (machine === undefined) throw new Error(`${ip} is on no node`);
    const kubelet = new Kubelet(world.client, machine.name, parts.leaseSeconds);
    await kubelet.start();
    const killLeader = await standBy?.(machine.name);
    await sleep(KNOWN_MS + Math.random() * kubelet.intervalMs);
    const assigned = nextAssign(ip);
    kubelet.stop();
    parts.network.route(this.addressOf(machine), undefined);
    const died = hostClock();
    await killLeader?.();
    const seconds = ((await this.inTime(assigned)) - died) / 1_000;
    // A new leader does not know which nodes died before.
    if (killLeader !== undefined) parts.network.route(this.addressOf(machine), parts.farm.link);
    return seconds;
  }

  /** Fails with the status of the pool and the log of the operators. */
  private async inTime(assigned: Promise<number>): Promise<number> {
    let at: number | undefined;
    void assigned.then((time) => {
      at = time;
    });
    const pool = this.world.poolNamed(`dying-${this.index}`);
    await pool.until(`${this.ip} to be assigned elsewhere`, () => at !== undefined);
    return assigned;
  }

  private async addNode(
    name: string,
    { labels, number }: { readonly labels: Readonly<Record<string, string>>; readonly number: number },
  ): Promise<Machine> {
    const { farm, network } = this.parts;
    const address = `10.78.${this.index}.${number + 1}`;
    farm.accept(address);
    network.route(address, farm.link);
    return this.world.fleet.add(name, { labels, addresses: [{ type: "InternalIP", address }] });
  }

  private addressOf(machine: Machine): string {
    return `10.78.${this.index}.${this.machines.indexOf(machine) + 1}`;
  }
}
