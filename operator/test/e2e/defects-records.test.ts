/** The Go operator's defects around records, caches and load. */

import { Annotation, LEASE_NAME } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { DOMAIN, ROUTES } from "./support/clouds.js";
import { spare, spareOne } from "./support/spare.js";
import type { World } from "./support/world.js";
import { useWorlds } from "./support/worlds.js";

const RECORDS = { provider: "digitalocean", zone: DOMAIN, recordName: "nodes" };
const CHANGE_RECORDS = /^(POST|PUT|PATCH|DELETE) \/v2\/domains\/[^/]+\/records/;

describe("defects of the Go operator: records, caches, load", function () {
  this.timeout(240_000);
  const worlds = useWorlds();

  const recordChanges = (world: World) => world.clouds.digitalocean.journal.calls({ on: CHANGE_RECORDS });

  it("defect 7: a record set whose nodes all vanish stays", async () => {
    const world = await worlds.create();
    const [a, b] = await world.fleet.addAll(["a", "b"]);
    if (a === undefined || b === undefined) throw new Error("no machines");
    const set = await world.recordSet("nodes", { dnsRecordSet: RECORDS });
    await world.start();
    await set.is("DNSReady", "True");
    expect(world.clouds.published("nodes")).to.deep.equal([a.publicIp, b.publicIp].sort());
    await a.node.setReady(false);
    await world.until("one record", () => world.clouds.published("nodes").join() === b.publicIp);
    await world.fleet.remove(a);
    await world.fleet.remove(b);
    await set.is("DNSReady", "False KeptLastKnown");
    expect(world.clouds.published("nodes")).to.deep.equal([b.publicIp]);
  });

  it("defect 8: failed record changes back off, say so, and end well", async () => {
    const world = await worlds.create();
    await world.fleet.add("a");
    world.clouds.digitalocean.faults.inject({ kind: "status", status: 503 }, { on: CHANGE_RECORDS, times: 3 });
    const set = await world.recordSet("nodes", { dnsRecordSet: RECORDS });
    await world.start();
    await set.says("the error", ({ state, error }) => state === "error" && error !== undefined);
    await set.is("DNSReady", "True");
    await set.says("all is well", ({ state, error }) => state === "active" && error === undefined);
    const times = recordChanges(world).map(({ at }) => at);
    expect(times, world.clouds.text()).to.have.length(4);
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    // 1, 1, 5 s: an attempt counter that is reset would never come to the third.
    expect(gaps[2]).to.be.greaterThan(4_000);
  });

  it("defect 9: deletions that it learns of late are deletions", async () => {
    const world = await worlds.create({ proxied: true });
    const [a, b] = await world.fleet.addAll(["a", "b"]);
    if (a === undefined || b === undefined) throw new Error("no machines");
    const [first = "", second = ""] = spare(world, 2);
    const doomed = await world.pool("doomed", { ips: [first] });
    const staying = await world.pool("staying", { ips: [second] });
    const operator = await world.start();
    await doomed.is("Fulfilled", "True");
    await staying.is("Fulfilled", "True");
    const bearer = world.fleet.holderOf(first);
    if (bearer === undefined) throw new Error("no droplet holds it");
    await world.until(
      "the annotation",
      async () => (await world.annotations(bearer))[Annotation.reservedIpv4] === first,
    );

    const heal = missEvents(world);
    await doomed.delete();
    await world.fleet.add("c");
    const lost = world.fleet.holderOf(second);
    if (lost === undefined) throw new Error("no droplet holds it");
    await world.fleet.remove(lost);
    heal();

    await world.until(
      "no annotation",
      async () => (await world.annotations(bearer))[Annotation.reservedIpv4] !== first,
    );
    await world.until("the move", () => ![undefined, lost].includes(world.fleet.holderOf(second)));
    expect(operator.exit).to.equal(undefined);
  });

  it("defect 10: a node that came back as another machine, unseen, is another node", async () => {
    const world = await worlds.create({ proxied: true });
    const first = await world.fleet.add("a");
    const ip = spareOne(world);
    const pool = await world.pool("web", { ips: [ip] });
    const set = await world.recordSet("nodes", { dnsRecordSet: RECORDS });
    await world.start();
    await pool.is("Fulfilled", "True");
    await set.is("DNSReady", "True");
    const heal = missEvents(world);
    await world.fleet.remove(first);
    const second = await world.fleet.add("a");
    heal();
    await world.until("the new machine to get the address", () => world.fleet.holderOf(ip) === second);
    await world.until("its own address", () => world.clouds.published("nodes").join() === second.publicIp);
  });

  it("defect 11: a changed address of a node is published", async () => {
    const world = await worlds.create();
    const { node } = await world.fleet.add("a");
    const set = await world.recordSet("nodes", { dnsRecordSet: RECORDS });
    await world.start();
    await set.is("DNSReady", "True");
    await node.setAddresses([{ type: "ExternalIP", address: "203.0.113.77" }]);
    await world.until("the new address", () => world.clouds.published("nodes").join() === "203.0.113.77");
  });

  it("defect 12: calls to DigitalOcean are counted by resource, and timed", async () => {
    const world = await worlds.create();
    await world.fleet.add("a");
    const pool = await world.pool("web", { ips: [spareOne(world)] });
    const operator = await world.start();
    await pool.is("Fulfilled", "True");
    const mine = ['provider="digitalocean"', 'kind="FloatingIPPool"', 'name="web"'];
    expect(await operator.metric("flipop_providers_calls_total", ...mine, 'outcome="success"')).to.be.at.least(1);
    const [cloud] = mine;
    expect(await operator.metric("flipop_providers_call_duration_seconds_count", `${cloud}`)).to.be.at.least(1);
    const all = await operator.metric("flipop_providers_calls_total", 'provider="digitalocean"');
    expect(all, "every call").to.equal(world.clouds.digitalocean.journal.count());
    expect(await operator.metric("flipop_floatingippoolcontroller_ip_assignments", 'name="web"')).to.equal(1);
  });

  it("defect 15: the list of waiting nodes has one order, and at rest the status is not written", async () => {
    const world = await worlds.create();
    await world.fleet.addAll(["d", "b", "a", "c", "e", "g", "f"]);
    const pool = await world.pool("web", { ips: [spareOne(world)], nodePreference: "Name" });
    await world.start(["--resync=1"]);
    await pool.is("Fulfilled", "True");
    await pool.says("all others wait", ({ assignableNodes }) => assignableNodes?.length === 6);
    const names = (await pool.status()).assignableNodes ?? [];
    expect(names).to.deep.equal([...names].sort());
    await world.rounds();
    const { resourceVersion } = (await pool.get()).metadata;
    await world.rounds(5);
    expect((await pool.get()).metadata.resourceVersion).to.equal(resourceVersion);
  });

  it("defect 16: one watch of nodes and of pods, one list of addresses, one name of the zone", async () => {
    const world = await worlds.create({ proxied: true });
    const machines = await world.fleet.addAll(["a", "b", "c", "d", "e", "f"]);
    const labels = { app: "ingress" };
    await Promise.all(machines.map((machine) => world.fleet.runPod(machine, world.namespace, labels)));
    for (let index = 0; index < 300; index++) {
      world.clouds.digitalocean.state.dns.addRecord(DOMAIN, { type: "A", name: `x${index}`, data: "192.0.2.1" });
    }
    const match = { nodeLabel: world.fleet.nodeLabel, podNamespace: world.namespace, podLabel: "app=ingress" };
    const pools = await Promise.all(
      ["p1", "p2", "p3"].map((name) =>
        world.pool(name, { ips: [spareOne(world)], match, dnsRecordSet: { zone: DOMAIN, recordName: name } }),
      ),
    );
    const set = await world.recordSet("nodes", { match, dnsRecordSet: RECORDS });
    await world.start();
    for (const pool of pools) await pool.is("DNSReady", "True");
    await set.is("DNSReady", "True");
    const watches = (path: string) =>
      world.proxy.requests.filter(({ url }) => url.startsWith(path) && url.includes("watch=")).length;
    expect(watches("/api/v1/nodes?"), "watches of nodes").to.equal(1);
    expect(
      watches(`/api/v1/namespaces/${world.namespace}/pods?`) + watches("/api/v1/pods?"),
      "watches of pods",
    ).to.equal(1);

    const { journal } = world.clouds.digitalocean;
    expect(journal.count({ on: ROUTES.list }), "lists of addresses").to.be.at.most(2);
    const mark = journal.mark;
    await machines[0]?.node.setReady(false);
    await world.until("one record less", () => world.clouds.published("nodes").length === 5);
    await set.is("DNSReady", "True");
    for (const pool of pools) await pool.is("Fulfilled", "True");
    const listed = journal.calls({ on: ROUTES.records });
    expect(listed).not.to.have.length(0);
    expect(
      listed.filter(({ query }) => !query.has("name")),
      "lists of the whole zone",
    ).to.deep.equal([]);
    expect(journal.count({ on: ROUTES.list, after: mark }), "lists of addresses for one flip").to.be.at.most(1);
  });

  it("defect 17: a pod that turns unready before the start does not make its node a candidate", async () => {
    const world = await worlds.create();
    const machine = await world.fleet.add("a");
    const pod = await world.fleet.runPod(machine, world.namespace, { app: "ingress" });
    const match = { nodeLabel: world.fleet.nodeLabel, podNamespace: world.namespace, podLabel: "app=ingress" };
    const pool = await world.pool("web", { ips: [spareOne(world)], match });
    const release = await holdLease(world);
    // It syncs its caches as a standby, and then what they hold changes.
    const operator = await world.launch();
    await operator.until("it to be ready", async () => (await operator.readyz())?.status === 200);
    await pod.setReady(false);
    await release();
    await operator.leads();
    await pool.is("Fulfilled", "False NoCandidate");
    expect(world.changes()).to.deep.equal([]);
    await pod.setReady(true);
    await pool.is("Fulfilled", "True");
  });
});

/**
 * Watches end, and what they would have sent is too old when they come back: only a new list shows what is gone. Until
 * the returned function is called.
 */
function missEvents({ proxy }: World): () => void {
  const isWatch = ({ url = "" }: { readonly url?: string | undefined }) => url.includes("watch=");
  proxy.inject({ kind: "reset" }, Number.POSITIVE_INFINITY, isWatch);
  proxy.resetAll();
  return () => {
    proxy.heal();
    for (const path of ["/nodes?", "/floatingippools?", "/nodednsrecordsets?"]) {
      const resumes = ({ url = "" }: { readonly url?: string | undefined }) =>
        url.includes(path) && url.includes("watch=") && !url.includes("sendInitialEvents");
      proxy.inject({ kind: "status", code: 410 }, 1, resumes);
    }
  };
}

/** Somebody else's Lease, until the returned function is called. */
async function holdLease({ client, install }: World): Promise<() => Promise<void>> {
  const collection = `/apis/coordination.k8s.io/v1/namespaces/${install.namespace}/leases`;
  const now = `${new Date().toISOString().slice(0, -1)}000Z`;
  const spec = { holderIdentity: "somebody", leaseDurationSeconds: 600, acquireTime: now, renewTime: now };
  await client.must.create(collection, { metadata: { name: LEASE_NAME }, spec });
  return async () => {
    await client.must.patch(`${collection}/${LEASE_NAME}`, { spec: { holderIdentity: "", leaseDurationSeconds: 1 } });
  };
}
