import { STANDBY_LEASE_NAME } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import type { Probe } from "../../../src/health/probe.js";
import { holderOf } from "../../../src/health/standby/own-replica.js";
import type { Lease } from "../../../src/kube/write/lease.js";
import { SECOND_MS } from "../../../src/timings.js";
import { hostOf, runKubelet } from "../kubelets.js";
import { World } from "../world.js";

const FLAGS = { features: "pools,healthchecks", "leader-elect": "true", "witness-bind-addr": "127.0.0.1:0" };
const ASSIGN = /^POST \/v2\/reserved_ips\/[^/]+\/actions$/;
const NODES = Array.from({ length: 8 }, (_, index) => `node-${index + 1}`);
const OPEN_PORT = 80;
const WRONG_PORT = 8090;
/** Longer than all candidates need to fail, a few at a time. */
const LONG_MS = 90 * SECOND_MS;

describe("operator in process: a health check that no node passes", function () {
  this.timeout(240_000);
  let world: World;
  /** Hosts that answer at the wrong port, too. */
  let opened: Set<string>;

  const probe: Probe = ({ host, port }) =>
    Promise.resolve(port === OPEN_PORT || opened.has(host) ? { ok: true } : { ok: false, error: "connection refused" });

  const holders = () => Object.values(world.status("web").ips ?? {}).map(({ nodeName }) => nodeName);
  const moves = () => world.digitalocean.journal.calls({ on: ASSIGN }).length;
  const healthCheck = (port: number) => ({ healthCheck: { type: "TCP", port } as const });

  /** Two replicas, so that the standby confirms what the leader sees. */
  async function serving(addresses: number, spec = {}): Promise<void> {
    opened = new Set();
    world = await World.create({ speed: 30, flags: FLAGS });
    for (const name of NODES) {
      world.addNode(name);
      runKubelet(world, name);
    }
    const ips = Array.from({ length: addresses }, () => world.digitalocean.state.addAddress().ip);
    world.addPool("web", { ips, ...spec });
    // A health check of another pool makes the replicas witnesses from the start.
    world.addPool("other", { ips: [world.digitalocean.state.addAddress().ip], ...healthCheck(OPEN_PORT) });
    world.start({ "node-name": "op-1" }, { probe });
    await world.fulfilled("web");
    await world.fulfilled("other");
    world.start({ "node-name": "op-2" }, { probe });
    const lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      namespace: "default",
      name: STANDBY_LEASE_NAME,
    };
    await world.until(
      "the standby is known",
      () => holderOf(world.kubernetes.get(lease) as Lease | undefined)?.node === "op-2",
    );
    await world.clock.sleep(15 * SECOND_MS);
  }

  afterEach(() => world.close());

  it("moves no address after a typo in the port, and the message says so", async () => {
    await serving(1, healthCheck(OPEN_PORT));
    const [before, from] = [moves(), holders()];
    world.edit("web", healthCheck(WRONG_PORT));
    await world.until("it is shown", () => world.condition("web", "ProbesDoubted")?.status === "True");
    await world.clock.sleep(LONG_MS);
    expect(moves() - before).to.equal(0);
    expect(holders()).to.deep.equal(from);
    expect(world.condition("web", "ProbesDoubted")).to.include({ status: "True", reason: "NoNodePasses" });
    expect(world.condition("web", "ProbesDoubted")?.message).to.include(
      `${hostOf(world, from[0] ?? "")}:${WRONG_PORT}`,
    );
    expect(world.events("MassFailure")).to.deep.equal([]);
    world.edit("web", healthCheck(OPEN_PORT));
    await world.until("the doubt is over", () => world.condition("web", "ProbesDoubted")?.status === "False");
    expect(moves() - before).to.equal(0);
  });

  it("moves no address when it is new, whichever the number of addresses", async () => {
    await serving(2);
    const [before, from] = [moves(), holders()];
    world.edit("web", healthCheck(WRONG_PORT));
    await world.until("it is shown", () => world.condition("web", "ProbesDoubted")?.reason === "NoNodePasses");
    await world.clock.sleep(LONG_MS);
    expect(moves() - before).to.equal(0);
    expect(holders()).to.deep.equal(from);
  });

  it("moves the address straight to the one node that passes", async () => {
    await serving(1, healthCheck(OPEN_PORT));
    const before = moves();
    const last =
      NODES.filter((name) => !Object.values(world.status("other").ips ?? {}).some((ip) => ip.nodeName === name)).at(
        -1,
      ) ?? "";
    opened.add(hostOf(world, last));
    world.edit("web", healthCheck(WRONG_PORT));
    await world.until("it is there", () => holders()[0] === last);
    expect(moves() - before).to.equal(1);
  });
});
