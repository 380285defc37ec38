/** In place of the Go operator: under its kinds and its rights, over its state, and back again. */

import { Annotation } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { DOMAIN, ROUTES } from "./support/clouds.js";
import { goAppends, goInstall, goUpdatesStatus, installGoKinds } from "./support/go-operator.js";
import { installKinds } from "./support/install.js";
import type { PoolResource } from "./support/resource.js";
import { spare, spareOne } from "./support/spare.js";
import type { World } from "./support/world.js";
import { useWorlds } from "./support/worlds.js";

const VALUE = Annotation.reservedIpv4;
/** What an administrator has to do. */
const REMEDY = /apply the (CRDs|roles|CRDs and roles) of this release/;
const RECORDS = { zone: DOMAIN, recordName: "www" };

/** What the Go operator leaves: three addresses on three of four nodes, two of them listed, one created by it. */
async function goState(world: World): Promise<{ readonly pool: PoolResource; readonly ips: readonly string[] }> {
  const machines = await world.fleet.addAll(["a", "b", "c", "d"]);
  const { state } = world.clouds.digitalocean;
  const held = machines.slice(1);
  const ips = held.map(({ dropletId }) => state.addAddress({ dropletId }).ip);
  for (const ip of ips) state.dns.addRecord(DOMAIN, { type: "A", name: "www", data: ip, ttl: 60 });
  const [first = "", second = "", third = ""] = ips;
  const pool = await world.pool("web", { ips: [first, second], desiredIPs: 3, dnsRecordSet: { ...RECORDS, ttl: 60 } });
  await goAppends(world.client, pool.path, third);
  for (const [index, { node }] of held.entries()) {
    await node.patch({ metadata: { annotations: { [VALUE]: ips[index] } } });
  }
  // Of a node that no longer holds it: left behind when the Go operator could not patch nodes any more.
  await machines[0]?.node.patch({ metadata: { annotations: { [VALUE]: first } } });
  await goUpdatesStatus(world.client, pool.path, goStatus(ips, held));
  return { pool, ips };
}

function goStatus(ips: readonly string[], held: readonly { readonly name: string; readonly dropletId: number }[]) {
  const entries = ips.map((ip, index) => {
    const { name = "", dropletId = 0 } = held[index] ?? {};
    return [ip, { state: "active", nodeName: name, providerID: `digitalocean://${dropletId}` }] as const;
  });
  return { ips: Object.fromEntries(entries), assignableNodes: [], nodeErrors: [] };
}

describe("under the Go operator's kinds", function () {
  this.timeout(180_000);
  const worlds = useWorlds({ own: true, prepare: (plane) => installGoKinds(plane.client()) });

  it("and its rights: addresses and records are served, nothing is created, and /readyz says why", async () => {
    const world = await worlds.create({ install: goInstall, mayBeRefused: true });
    const { ips } = await goState(world);
    await world.pool("new", { desiredIPs: 1 });
    const mark = world.clouds.mark();
    const operator = await world.start(["--resync=1"]);
    await operator.until("/readyz to say it", async () => REMEDY.test((await operator.readyz())?.body ?? ""));
    expect((await operator.healthz())?.status, "it goes on").to.equal(200);
    await world.rounds(5);
    expect(world.changes(mark), "nothing moves, nothing is created").to.deep.equal([]);

    const [ip = ""] = ips;
    const first = world.fleet.holderOf(ip);
    await first?.node.setReady(false);
    await world.until("the move", () => ![undefined, first].includes(world.fleet.holderOf(ip)));
    expect(world.clouds.digitalocean.journal.count({ on: ROUTES.act })).to.equal(1);
    expect(world.clouds.published("www")).to.deep.equal([...ips].sort());
    const set = { provider: "digitalocean", dnsRecordSet: { zone: DOMAIN, recordName: "nodes" } };
    await world.recordSet("nodes", set);
    await world.until("the records of the ready nodes", () => world.clouds.published("nodes").length === 3);
    await world.rounds();
    expect(world.clouds.digitalocean.journal.count({ on: ROUTES.create })).to.equal(0);
    expect(operator.exit).to.equal(undefined);
  });

  it("and our rights: status and annotations are written, nothing is created, and an Event says why", async () => {
    const world = await worlds.create();
    const { pool, ips } = await goState(world);
    const fresh = await world.pool("new", { desiredIPs: 1 });
    await world.fleet.add("e");
    const mark = world.clouds.mark();
    const operator = await world.start(["--resync=1"]);
    await operator.until("/readyz to say it", async () => REMEDY.test((await operator.readyz())?.body ?? ""));
    await fresh.reports("CRDTooOld");
    await world.rounds(5);
    expect(world.changes(mark)).to.deep.equal([]);

    const [ip = ""] = ips;
    const first = world.fleet.holderOf(ip);
    await first?.node.setReady(false);
    await world.until("the move", () => ![undefined, first].includes(world.fleet.holderOf(ip)));
    const next = world.fleet.holderOf(ip);
    await pool.says("its place, in the fields that are there", ({ ips }) => ips?.[ip]?.nodeName === next?.name);
    await world.until("the annotation", async () => (await world.annotations(next ?? { name: "" }))[VALUE] === ip);
    expect(world.clouds.digitalocean.journal.count({ on: ROUTES.create })).to.equal(0);
    // One write that the server drops, not one at each round.
    const { resourceVersion } = (await fresh.get()).metadata;
    await world.rounds(5);
    expect((await fresh.get()).metadata.resourceVersion).to.equal(resourceVersion);
  });
});

describe("migration from the Go operator and back", function () {
  this.timeout(180_000);
  // Each test begins with the Go operator's kinds.
  const worlds = useWorlds({ own: true, prepare: (plane) => installGoKinds(plane.client()) });

  it("moves nothing on the way there, and creates nothing twice after the way back", async () => {
    const world = await worlds.create();
    const { pool, ips } = await goState(world);
    const before = world.clouds.holders();
    await installKinds(world.client);
    await world.start(["--resync=1"]);
    await pool.is("Fulfilled", "True");
    await pool.is("DNSReady", "True");
    await world.rounds();
    expect(world.changes(), "there").to.deep.equal([]);
    expect(world.clouds.holders()).to.deep.equal(before);
    const stale = { name: world.fleet.nameOf("a") };
    await world.until("the stale annotation to go", async () => (await world.annotations(stale))[VALUE] === undefined);

    // It works here for a while: an address of its own, our fields in the spec.
    await pool.edit({ desiredIPs: 4, gracePeriodSeconds: 10 });
    await pool.is("Fulfilled", "True");
    await pool.until("spec.ips", async () => (await pool.get()).spec.ips?.length === 4);
    await world.stop();

    const after = world.clouds.holders();
    const machines = [...after.keys()].map((ip) => world.fleet.holderOf(ip) ?? { name: "", dropletId: 0 });
    await goUpdatesStatus(world.client, pool.path, goStatus([...after.keys()], machines));
    const lost = await pool.get();
    expect(lost.status).to.have.all.keys("ips", "assignableNodes", "nodeErrors", "observedGeneration");
    expect(lost.status?.["observedGeneration"], "the default of the kinds: nothing has been observed").to.equal(0);
    expect(lost.metadata.annotations?.[Annotation.createdIps], "the copy stays").to.be.a("string");
    const listed = spareOne(world);
    await goAppends(world.client, pool.path, listed);
    expect((await pool.get()).spec["gracePeriodSeconds"], "a spec that it wrote has its fields only").to.equal(0);
    await pool.edit({ ips: (await pool.get()).spec.ips?.filter((ip) => ip !== listed) });

    const mark = world.clouds.mark();
    await world.start(["--resync=1"]);
    await pool.is("Fulfilled", "True");
    await world.rounds();
    expect(world.changes(mark), "there again").to.deep.equal([]);
    expect(ips.every((ip) => world.fleet.holderOf(ip) !== undefined)).to.equal(true);
  });

  it("restores nothing by a creation where the status was lost, and releases nothing on the copy's word", async () => {
    const world = await worlds.create();
    await installKinds(world.client);
    await world.fleet.addAll(["a", "b"]);
    const pool = await world.pool("web", { desiredIPs: 2, reclaimPolicy: "Delete" });
    await world.start(["--resync=1"]);
    await pool.is("Fulfilled", "True");
    await pool.until("the copy", async () => {
      const copy = (await pool.get()).metadata.annotations?.[Annotation.createdIps] ?? "";
      return copy.split(",").length === 2;
    });
    await world.stop();
    await goUpdatesStatus(world.client, pool.path, {});
    await pool.edit({ ips: [] });
    const mark = world.clouds.mark();
    await world.start(["--resync=1"]);
    await pool.is("Fulfilled", "True");
    await world.rounds();
    expect(world.changes(mark)).to.deep.equal([]);
    await pool.delete();
    await pool.isGone();
    // It ends only when nothing is under way any more.
    await world.stop();
    expect(world.clouds.digitalocean.state.addresses(), "it is not certain that they are ours").to.have.length(2);
  });

  it("never acts beside the Go operator: they share one Lease", async () => {
    const world = await worlds.create();
    await world.fleet.addAll(["a", "b"]);
    const ips = spare(world, 2);
    await world.pool("web", { ips });
    const lease = "floating-ip-pool-controller-leader-election";
    const now = `${new Date().toISOString().slice(0, -1)}000Z`;
    const spec = { holderIdentity: "go-operator", leaseDurationSeconds: 15, acquireTime: now, renewTime: now };
    const collection = `/apis/coordination.k8s.io/v1/namespaces/${world.install.namespace}/leases`;
    await world.client.must.create(collection, { metadata: { name: lease }, spec });
    const operator = await world.launch();
    await operator.until("it to stand by", async () => (await operator.lines("standing by")).length > 0);
    await operator.until("it to be ready all the same", async () => (await operator.readyz())?.status === 200);
    expect(world.clouds.digitalocean.journal.count({ mutating: true })).to.equal(0);
    await world.client.must.patch(`${collection}/${lease}`, { spec: { holderIdentity: "" } });
    await operator.leads();
    await world.until("the assignments", () => ips.every((ip) => world.fleet.holderOf(ip) !== undefined));
  });
});
