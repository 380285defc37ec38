import { LEASE_NAME, STANDBY_LEASE_NAME } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import type { Probe } from "../../../src/health/probe.js";
import { holderOf } from "../../../src/health/standby/own-replica.js";
import type { Lease } from "../../../src/kube/write/lease.js";
import { SECOND_MS } from "../../../src/timings.js";
import { hostOf, runKubelet } from "../kubelets.js";
import { type Running, World } from "../world.js";

const FLAGS = { features: "pools,healthchecks", "leader-elect": "true", "witness-bind-addr": "127.0.0.1:0" };
const ASSIGN = /^POST \/v2\/reserved_ips\/[^/]+\/actions$/;
const FAST_LEASE = {
  "leader-elect-lease-duration": "5",
  "leader-elect-renew-deadline": "3",
  "leader-elect-retry-period": "1",
};
const TARGET_MS = 3 * SECOND_MS;

describe("operator in process: two replicas as witnesses", function () {
  this.timeout(120_000);
  let world: World;
  /** Hosts that do not answer each replica. */
  let mute: Readonly<Record<"leader" | "standby", Set<string>>>;
  let kubelets: Map<string, { alive: boolean }>;

  /** As a machine without power: nothing comes back. */
  const probeOf =
    (replica: keyof typeof mute): Probe =>
    ({ host }, signal) =>
      mute[replica].has(host)
        ? new Promise((resolve) => {
            const end = () => resolve({ ok: false, error: (signal.reason as Error).message });
            signal.addEventListener("abort", end, { once: true });
          })
        : Promise.resolve({ ok: true });

  const holder = () => Object.values(world.status("web").ips ?? {})[0]?.nodeName ?? "";
  const assigns = () => world.digitalocean.journal.calls({ on: ASSIGN });
  const replicaIn = (lease: string) => {
    const ref = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", namespace: "default", name: lease };
    return holderOf(world.kubernetes.get(ref) as Lease | undefined);
  };

  const start = (replica: keyof typeof mute, node: string): Running =>
    world.start({ "node-name": node }, { probe: probeOf(replica) });

  /** @param nodes of the leader and of the standby */
  async function serving(nodes: readonly [string, string] = ["op-1", "op-2"], more = {}): Promise<readonly Running[]> {
    [mute, kubelets] = [{ leader: new Set(), standby: new Set() }, new Map()];
    world = await World.create({ speed: 10, flags: { ...FLAGS, ...more } });
    for (const name of ["node-1", "node-2"]) {
      world.addNode(name);
      kubelets.set(name, runKubelet(world, name));
    }
    world.addPool("web", {
      ips: [world.digitalocean.state.addAddress().ip],
      healthCheck: { type: "TCP", port: 80 },
    });
    const leader = start("leader", nodes[0]);
    await world.fulfilled("web");
    const standby = start("standby", nodes[1]);
    await world.until("the standby is known", () => replicaIn(STANDBY_LEASE_NAME)?.node === nodes[1]);
    // The leader reads the Lease every 5 s.
    await world.clock.sleep(6 * SECOND_MS);
    return [standby, leader];
  }

  function die(node: string): number {
    mute.leader.add(hostOf(world, node));
    mute.standby.add(hostOf(world, node));
    (kubelets.get(node) ?? { alive: true }).alive = false;
    return world.clock.now();
  }

  afterEach(() => world.close());

  it("moves the address off a node that died silently within 3 s", async () => {
    await serving();
    const [failed, before] = [holder(), assigns().length];
    const died = die(failed);
    await world.until("the address is assigned elsewhere", () => assigns().length > before);
    expect((assigns().at(-1)?.at ?? 0) - died).to.be.lessThan(TARGET_MS);
    await world.until("the status shows it", () => holder() !== failed && holder() !== "");
  });

  it("moves the address off a node whose service died, although its kubelet lives", async () => {
    await serving();
    const [failed, before] = [holder(), assigns().length];
    mute.leader.add(hostOf(world, failed));
    mute.standby.add(hostOf(world, failed));
    await world.until("the address is assigned elsewhere", () => assigns().length > before);
  });

  it("moves the address within 8 s when the leader dies with its node", async () => {
    const first = await serving(["op-1", "op-2"], FAST_LEASE);
    const [failed, before] = [holder(), assigns().length];
    const waiting = () => world.logs.filter((line) => line.includes("waiting for the lease")).length;
    const others = waiting();
    const doomed = start("leader", failed);
    await world.until("it waits for the Lease", () => waiting() > others);
    for (const one of first) await one.stop();
    await world.until("the replica on the node of the holder leads", () => replicaIn(LEASE_NAME)?.node === failed);
    start("standby", "op-3");
    await world.until("the standby is known", () => replicaIn(STANDBY_LEASE_NAME)?.node === "op-3");
    const died = die(failed);
    await doomed.kill();
    await world.until("the address is assigned elsewhere", () => assigns().length > before);
    expect((assigns().at(-1)?.at ?? 0) - died).to.be.lessThan(8 * SECOND_MS);
  });

  it("moves nothing while the standby reaches the node, and says why", async () => {
    await serving();
    const before = assigns().length;
    mute.leader.add(hostOf(world, holder()));
    await world.until("the doubt is shown", () => world.condition("web", "ProbesDoubted")?.status === "True");
    expect(world.condition("web", "ProbesDoubted")).to.include({ reason: "StandbyReached" });
    await world.until("an Event", () => world.events("StandbyReached").length > 0);
    await world.clock.sleep(60 * SECOND_MS);
    expect(assigns().length).to.equal(before);
    mute.leader.clear();
    await world.until("the doubt is over", () => world.condition("web", "ProbesDoubted")?.status === "False");
  });

  it("moves nothing on the word of a standby that shares the leader's node", async () => {
    await serving(["op-1", "op-1"]);
    const before = assigns().length;
    mute.leader.add(hostOf(world, holder()));
    mute.standby.add(hostOf(world, holder()));
    await world.until("the doubt is shown", () => world.condition("web", "ProbesDoubted")?.status === "True");
    expect(world.condition("web", "ProbesDoubted")).to.include({ reason: "LeaseRenewed" });
    expect(assigns().length).to.equal(before);
  });
});
