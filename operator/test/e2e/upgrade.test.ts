import { Annotation } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { DOMAIN, ROUTES } from "./support/clouds.js";
import type { Machine } from "./support/fleet.js";
import { spare, spareOne } from "./support/spare.js";
import type { World } from "./support/world.js";
import { useWorlds } from "./support/worlds.js";

const OLD = "v1.34.6";
const NEW = "v1.35.4";
const NODES = 10;
const ADDRESSES = 2;

describe("upgrades and drains", function () {
  this.timeout(240_000);
  const worlds = useWorlds();

  /** Surge: a new node is there and serves before an old one is drained and goes. */
  const replace = async (world: World, old: Machine, index: number) => {
    const labels = { app: "ingress" };
    const fresh = await world.fleet.add(`new${index}`, { kubeletVersion: NEW });
    await world.fleet.runPod(fresh, world.namespace, labels);
    // A drain comes seconds later; here the operator has to have seen the new node by itself.
    const { operator } = world;
    const available = () => operator.metric("flipop_floatingippoolcontroller_node_status", 'status="available"');
    await operator.until("the new node to wait", async () => (await available()) === NODES + 1 - ADDRESSES);
    await old.node.cordon();
    await world.client.must.delete(`/api/v1/namespaces/${world.namespace}/pods`, undefined, {
      fieldSelector: `spec.nodeName=${old.name}`,
    });
    await world.until(
      `${old.name} to hold nothing`,
      () => ![...world.clouds.holders().values()].includes(old.dropletId),
    );
    await world.fleet.remove(old);
  };

  it(`a surge upgrade of ${NODES} nodes moves each of two addresses once`, async () => {
    const world = await worlds.create();
    const names = Array.from({ length: NODES }, (_, index) => `old${index}`);
    const machines = await world.fleet.addAll(names, { kubeletVersion: OLD });
    await Promise.all(machines.map((machine) => world.fleet.runPod(machine, world.namespace, { app: "ingress" })));
    for (let index = 0; index < 100; index++) {
      world.clouds.digitalocean.state.dns.addRecord(DOMAIN, { type: "A", name: `x${index}`, data: "192.0.2.1" });
    }
    const match = { nodeLabel: world.fleet.nodeLabel, podNamespace: world.namespace, podLabel: "app=ingress" };
    const pool = await world.pool("web", {
      ips: spare(world, ADDRESSES),
      match,
      dnsRecordSet: { zone: DOMAIN, recordName: "www" },
    });
    const dnsRecordSet = { provider: "digitalocean", zone: DOMAIN, recordName: "nodes" };
    const set = await world.recordSet("nodes", { match, dnsRecordSet });
    await world.start();
    await pool.is("Ready", "True");
    await set.is("DNSReady", "True");
    const mark = world.clouds.mark();

    for (const [index, machine] of machines.entries()) await replace(world, machine, index);

    await pool.is("Fulfilled", "True");
    // It is True throughout; changes are gathered for some seconds.
    await world.until("the last record", () => world.clouds.published("nodes").length === NODES);
    const { journal } = world.clouds.digitalocean;
    expect(journal.count({ on: ROUTES.act, after: mark.digitalocean }), world.clouds.text()).to.equal(ADDRESSES);
    const text = world.clouds.text();
    expect(journal.count({ after: mark.digitalocean }), text).to.be.at.most(100);
    expect(world.clouds.published("www")).to.have.length(2);
  });

  it("a drained holder gives its address away at once, though a pool tolerates the cordon", async () => {
    const world = await worlds.create();
    const [a, b] = await world.fleet.addAll(["a", "b"]);
    if (a === undefined || b === undefined) throw new Error("no machines");
    const pod = await world.fleet.runPod(a, world.namespace, { app: "ingress" });
    const tolerations = [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" as const }];
    const { nodeLabel } = world.fleet;
    const match = { nodeLabel, podNamespace: world.namespace, podLabel: "app=ingress", tolerations };
    const ip = spareOne(world);
    const pool = await world.pool("web", { ips: [ip], match, gracePeriodSeconds: 600 });
    await world.start(["--resync=1"]);
    await pool.is("Fulfilled", "True");
    await world.fleet.runPod(b, world.namespace, { app: "ingress" });
    await a.node.cordon();
    await pool.says("b waits", ({ assignableNodes }) => assignableNodes?.includes(b.name) === true);
    await world.rounds();
    expect(world.fleet.holderOf(ip), "it tolerates the cordon").to.equal(a);
    await pod.delete();
    await world.until("the move", () => world.fleet.holderOf(ip) === b);
    await world.until("the annotation", async () => (await world.annotations(b))[Annotation.reservedIpv4] === ip);
  });

  it("a cordoned holder gives its address away where another node waits", async () => {
    const world = await worlds.create();
    await world.fleet.addAll(["a", "b"]);
    const ip = spareOne(world);
    const pool = await world.pool("web", { ips: [ip], gracePeriodSeconds: 600 });
    await world.start();
    await pool.is("Fulfilled", "True");
    const first = world.fleet.holderOf(ip);
    await first?.node.cordon();
    await world.until("the move", () => ![undefined, first].includes(world.fleet.holderOf(ip)));
  });
});
