import { Annotation, canonicalIp, Finalizer } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { DOMAIN, ROUTES } from "./support/clouds.js";
import { spare, spareOne } from "./support/spare.js";
import { useWorlds } from "./support/worlds.js";

describe("the life of a pool", function () {
  this.timeout(180_000);
  const worlds = useWorlds();

  it("creates a first address where a candidate waits by one changing call", async () => {
    const world = await worlds.create();
    const machine = await world.fleet.add("a");
    const pool = await world.pool("web", { desiredIPs: 1 });
    await world.start();
    await pool.is("Fulfilled", "True");
    expect(world.changes()).to.deep.equal([ROUTES.create]);
    const [address] = world.clouds.digitalocean.state.addresses();
    expect(address?.dropletId).to.equal(machine.dropletId);
    await pool.until("spec.ips", async () => (await pool.get()).spec.ips?.join() === address?.ip);
    await pool.until("the copy", async () => {
      const { annotations } = (await pool.get()).metadata;
      return annotations?.[Annotation.createdIps] === address?.ip;
    });
  });

  it("creates addresses for nodes that are still to come, in the region", async () => {
    const world = await worlds.create();
    const pool = await world.pool("web", { desiredIPs: 2, region: "ams3" });
    await world.start();
    await pool.says("two created", ({ createdIPs }) => createdIPs?.length === 2);
    expect(world.clouds.digitalocean.state.addresses().map(({ region }) => region)).to.deep.equal(["ams3", "ams3"]);
    await world.fleet.addAll(["a", "b"], { region: "ams3" });
    await pool.is("Fulfilled", "True");
    expect(world.clouds.digitalocean.journal.count({ on: ROUTES.create })).to.equal(2);
  });

  it("serves IPv6", async () => {
    const world = await worlds.create();
    const machine = await world.fleet.add("a");
    const pool = await world.pool("web", {
      desiredIPs: 1,
      ipFamily: "IPv6",
      dnsRecordSet: { zone: DOMAIN, recordName: "six" },
    });
    await world.start();
    await pool.is("Fulfilled", "True");
    await pool.is("DNSReady", "True");
    const [address] = world.clouds.digitalocean.state.addresses();
    const spelled = canonicalIp(address?.ip ?? "");
    expect(address).to.include({ family: "ipv6", dropletId: machine.dropletId });
    const records = world.clouds.digitalocean.state.dns.records(DOMAIN, "six");
    expect(records.map(({ type, data }) => [type, canonicalIp(data)])).to.deep.equal([["AAAA", spelled]]);
    const annotations = await world.annotations(machine);
    expect(annotations[Annotation.reservedIpv6]).to.equal(spelled);
  });

  it("writes nothing but status while paused, and cleans up a paused pool that is deleted", async () => {
    const world = await worlds.create();
    await world.fleet.addAll(["a", "b"]);
    const pool = await world.pool("web", { desiredIPs: 1, reclaimPolicy: "Delete" });
    await world.start(["--resync=1"]);
    await pool.is("Fulfilled", "True");
    await pool.edit({ paused: true });
    await pool.is("Accepted", "True Paused");
    const [ip = ""] = Object.keys((await pool.status()).ips ?? {});
    const mark = world.clouds.mark();
    await world.fleet.holderOf(ip)?.node.setReady(false);
    await pool.says("no-match", ({ ips }) => ips?.[ip]?.state === "no-match");
    await world.rounds();
    expect(world.changes(mark)).to.deep.equal([]);
    await pool.delete();
    await pool.isGone();
    expect(world.clouds.digitalocean.state.addresses()).to.deep.equal([]);
  });

  it("goes on where it was when it is no longer paused", async () => {
    const world = await worlds.create();
    await world.fleet.add("a");
    const pool = await world.pool("web", { ips: [spareOne(world)], paused: true });
    await world.start(["--resync=1"]);
    await pool.is("Accepted", "True Paused");
    await world.rounds();
    expect(world.changes()).to.deep.equal([]);
    await pool.edit({ paused: false });
    await pool.is("Fulfilled", "True");
  });

  it("sets the finalizer only while there is something to undo", async () => {
    const world = await worlds.create();
    await world.fleet.add("a");
    const pool = await world.pool("web", { ips: [spareOne(world)], reclaimPolicy: "Delete" });
    await world.start();
    await pool.is("Fulfilled", "True");
    expect((await pool.get()).metadata.finalizers ?? []).to.deep.equal([]);
    await pool.edit({ desiredIPs: 2 });
    await world.fleet.add("b");
    await pool.is("Fulfilled", "True");
    expect((await pool.get()).metadata.finalizers).to.deep.equal([Finalizer.cleanup]);
    await pool.edit({ reclaimPolicy: "Retain" });
    await pool.until("no finalizer", async () => ((await pool.get()).metadata.finalizers ?? []).length === 0);
  });

  it("disables the tail of its addresses, and reuses them before it creates any", async () => {
    const world = await worlds.create();
    await world.fleet.addAll(["a", "b", "c"]);
    const pool = await world.pool("web", { desiredIPs: 2, dnsRecordSet: { zone: DOMAIN, recordName: "www" } });
    await world.start();
    await pool.is("DNSReady", "True");
    await pool.is("Fulfilled", "True");
    await pool.edit({ desiredIPs: 1 });
    await world.until("one record", () => world.clouds.published("www").length === 1);
    await pool.says("a disabled one", ({ ips }) => Object.values(ips ?? {}).some(({ state }) => state === "disabled"));
    await pool.edit({ desiredIPs: 2 });
    await world.until("two records", () => world.clouds.published("www").length === 2);
    expect(world.clouds.digitalocean.journal.count({ on: ROUTES.create })).to.equal(2);
  });

  it("changes nothing in the cloud or the cluster on a dry run, and logs what it would do", async () => {
    const world = await worlds.create();
    // More than the addresses that are wanted: a pool that waits for a node has no plan.
    const [machine] = await world.fleet.addAll(["a", "b", "c", "d", "e"]);
    if (machine === undefined) throw new Error("no machine");
    const pool = await world.pool("web", { ips: [spareOne(world)], dnsRecordSet: { zone: DOMAIN, recordName: "www" } });
    const other = await world.pool("new", { desiredIPs: 2 });
    const set = await world.recordSet("nodes", {
      dnsRecordSet: { provider: "digitalocean", zone: DOMAIN, recordName: "n" },
    });
    const before = await Promise.all([pool.get(), other.get(), set.get(), machine.node.get()]);
    await world.start(["--dry-run", "--resync=1"]);
    await world.until(
      "it to have read the cloud",
      () => world.clouds.digitalocean.journal.count({ on: ROUTES.list }) > 0,
    );
    await world.rounds(5);
    expect(world.changes()).to.deep.equal([]);
    const after = await Promise.all([pool.get(), other.get(), set.get(), machine.node.get()]);
    const versions = (objects: typeof before) => objects.map(({ metadata }) => metadata.resourceVersion);
    expect(versions(after)).to.deep.equal(versions(before));
    const plans = () => world.operator.lines("dry run: plan");
    const planned = async () => [...new Set((await plans()).map((line) => String(line["resource"])))];
    await world.until("a plan for each resource", async () => (await planned()).length >= 3);
    expect((await planned()).map((one) => one.split("/")[0])).to.have.members([
      "FloatingIPPool",
      "FloatingIPPool",
      "NodeDNSRecordSet",
    ]);
  });

  it("follows an edit of the pool while an address moves", async () => {
    const world = await worlds.create({ digitalocean: { durations: { assign: 3_000 } } });
    const [a, b] = await world.fleet.addAll(["a", "b"]);
    if (a === undefined || b === undefined) throw new Error("no machines");
    await b.node.setLabels({ group: "blue" });
    const [first = "", second = ""] = spare(world, 2);
    const pool = await world.pool("web", { ips: [first], match: { nodeLabel: `${world.fleet.nodeLabel},!group` } });
    await world.start();
    const { state } = world.clouds.digitalocean;
    await world.until("it to be on its way to a", () => state.runningActions.length === 1);
    await pool.edit({ ips: [first, second], match: { nodeLabel: `${world.fleet.nodeLabel},group=blue` } });
    await world.until("b to have one", () => [first, second].some((ip) => world.fleet.holderOf(ip) === b));
    await pool.is("Fulfilled", "False");
    await pool.edit({ match: { nodeLabel: world.fleet.nodeLabel } });
    await pool.is("Fulfilled", "True");
    expect([...world.clouds.holders().values()].sort()).to.deep.equal([a.dropletId, b.dropletId].sort());
  });
});
