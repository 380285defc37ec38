/** The acts of the tutorial "Failover in three seconds" on a real API server, with probes over TCP and Leases of nodes. */

import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { OperatorFeature } from "cdk8s-flipop";
import type { FloatingIPPoolSpec } from "cdk8s-flipop/api";
import { expect } from "chai";
import { freePort, type KubeObject } from "flipop-testbed";
import { afterEach, describe, it } from "mocha";
import type { Machine } from "./support/fleet.js";
import { Kubelet } from "./support/kubelet.js";
import { spareOne } from "./support/spare.js";
import type { World } from "./support/world.js";
import { useWorlds } from "./support/worlds.js";

/** Of the kubelet's configuration: the default, and the least. */
const USUAL_LEASE_SECONDS = 40;
const QUICK_LEASE_SECONDS = 4;

/** A node whose service and kubelet run in this process. */
interface LiveNode {
  readonly machine: Machine;
  readonly kubelet: Kubelet;
  readonly service: Server;
}

interface NodeWithConditions extends KubeObject {
  readonly status: { readonly conditions: readonly { readonly type: string; readonly status: string }[] };
}

describe("a node that dies in silence", function () {
  this.timeout(180_000);
  const worlds = useWorlds();
  const live: LiveNode[] = [];

  afterEach(() => {
    for (const node of live.splice(0)) silence(node);
  });

  function silence({ kubelet, service }: LiveNode): void {
    kubelet.stop();
    service.close();
  }

  /** Each node has an address of the loopback network, so one port serves for all. */
  async function nodes(world: World, port: number, leaseSeconds: number): Promise<readonly LiveNode[]> {
    for (const [index, name] of ["a", "b"].entries()) {
      const address = `127.77.0.${index + 1}`;
      const machine = await world.fleet.add(name, { addresses: [{ type: "InternalIP", address }] });
      const service = createServer((socket) => socket.end()).listen(port, address);
      await once(service, "listening");
      const kubelet = new Kubelet(world.client, machine.name, leaseSeconds);
      await kubelet.start();
      live.push({ machine, kubelet, service });
    }
    return live;
  }

  async function scene(spec: (port: number) => Partial<FloatingIPPoolSpec>, leaseSeconds: number) {
    const world = await worlds.create({
      operator: { features: [OperatorFeature.POOLS, OperatorFeature.HEALTH_CHECKS] },
    });
    const port = await freePort();
    await nodes(world, port, leaseSeconds);
    const ip = spareOne(world);
    const pool = await world.pool("web", { ips: [ip], ...spec(port) });
    await world.start(["--resync=1"]);
    await pool.is("Ready", "True");
    const holder = live.find(({ machine }) => machine === world.fleet.holderOf(ip));
    if (holder === undefined) throw new Error(`${ip} is on no node`);
    const isMoved = () => world.fleet.holderOf(ip) !== holder.machine;
    const moves = () => world.until("the address to move", isMoved);
    return { world, holder, isMoved, moves };
  }

  async function readiness(world: World, { machine }: LiveNode): Promise<string> {
    const { status } = await world.client.must.get<NodeWithConditions>(machine.node.path);
    return status.conditions.find(({ type }) => type === "Ready")?.status ?? "";
  }

  it("keeps its address without a health check, until Kubernetes marks it NotReady", async () => {
    const { world, holder, isMoved, moves } = await scene(() => ({}), USUAL_LEASE_SECONDS);
    silence(holder);
    await world.rounds();
    expect(isMoved(), "Kubernetes has not marked the node NotReady yet").to.equal(false);
    await holder.machine.node.setReady("Unknown");
    await moves();
  });

  for (const [kubelet, leaseSeconds] of [
    ["the usual kubelet", USUAL_LEASE_SECONDS],
    ["a kubelet that reports each second", QUICK_LEASE_SECONDS],
  ] as const) {
    it(`loses its address with a health check once ${kubelet} is silent, too, although it is Ready`, async () => {
      const check = (port: number) => ({ healthCheck: { type: "TCP", port } as const });
      const { world, holder, isMoved, moves } = await scene(check, leaseSeconds);
      holder.service.close();
      const failures = () => world.operator.metric("flipop_health_probes_total", 'result="failure"');
      await world.until("probes to fail", async () => (await failures()) >= 4);
      await world.rounds();
      expect(isMoved(), "the kubelet renews its Lease: the service alone has failed").to.equal(false);
      holder.kubelet.stop();
      await moves();
      expect(await readiness(world, holder), "Kubernetes does not know").to.equal("True");
      const [why] = await world.operator.lines("ProbeFailed");
      expect(why, "a line of the log that says why").not.to.equal(undefined);
    });
  }
});
