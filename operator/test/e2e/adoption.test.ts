import { Annotation } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { DOMAIN } from "./support/clouds.js";
import type { World } from "./support/world.js";
import { useWorlds } from "./support/worlds.js";

const OWNER = Annotation.reservedIpv4Owner;
const VALUE = Annotation.reservedIpv4;

describe("adoption of what is there at the start", function () {
  this.timeout(180_000);
  const worlds = useWorlds();

  /** Three addresses on three of five nodes, not the first ones by name, and their record set. */
  const assigned = async (world: World) => {
    const machines = await world.fleet.addAll(["a", "b", "c", "d", "e"]);
    const { state } = world.clouds.digitalocean;
    const held = machines.filter((_, index) => [1, 3, 4].includes(index));
    const ips = held.map(({ dropletId }) => state.addAddress({ dropletId }).ip);
    for (const ip of ips) state.dns.addRecord(DOMAIN, { type: "A", name: "www", data: ip, ttl: 60 });
    return { machines, held, ips };
  };

  it("moves nothing, calls for no change, and writes its annotations", async () => {
    const world = await worlds.create();
    const { held, ips, machines } = await assigned(world);
    const before = world.clouds.holders();
    const pool = await world.pool("web", { ips, dnsRecordSet: { zone: DOMAIN, recordName: "www" } });
    await world.start(["--resync=1"]);
    await pool.is("Ready", "True");
    await pool.is("Fulfilled", "True");
    await pool.is("DNSReady", "True");
    await world.rounds();
    expect(world.changes()).to.deep.equal([]);
    expect(world.clouds.holders()).to.deep.equal(before);
    const { metadata } = await pool.get();
    for (const [index, machine] of held.entries()) {
      const owner = `${world.namespace}/web/${metadata.uid}`;
      await world.until("the annotation", async () => (await world.annotations(machine))[OWNER] === owner);
      expect(await world.annotations(machine)).to.include({ [VALUE]: ips[index] });
    }
    for (const machine of machines.filter((one) => !held.includes(one))) {
      expect(await world.annotations(machine)).not.to.have.property(VALUE);
    }
  });

  it("writes nothing at all, to no API, when it starts again", async () => {
    const world = await worlds.create();
    const { ips } = await assigned(world);
    const pool = await world.pool("web", { ips, dnsRecordSet: { zone: DOMAIN, recordName: "www" } });
    await world.start(["--resync=1"]);
    await pool.is("Fulfilled", "True");
    await pool.is("DNSReady", "True");
    await world.rounds();
    const before = await pool.get();
    await world.stop();
    const mark = world.clouds.mark();
    await world.start(["--resync=1"]);
    await world.rounds();
    expect(world.changes(mark)).to.deep.equal([]);
    expect((await pool.get()).metadata.resourceVersion).to.equal(before.metadata.resourceVersion);
  });

  it("gives a node only to the address that has none", async () => {
    const world = await worlds.create();
    const { held, ips } = await assigned(world);
    const { ip: spare } = world.clouds.digitalocean.state.addAddress();
    const pool = await world.pool("web", { ips: [...ips, spare] });
    await world.start();
    await pool.is("Fulfilled", "True");
    expect(world.changes()).to.deep.equal([`POST /v2/reserved_ips/${spare}/actions`]);
    for (const [index, machine] of held.entries()) expect(world.fleet.holderOf(ips[index] ?? "")).to.equal(machine);
    expect(world.fleet.holderOf(spare)?.name).to.match(/-[ac]$/);
  });

  it("takes over an address on a machine that is no node, and says so", async () => {
    const world = await worlds.create();
    const { state } = world.clouds.digitalocean;
    const stranger = state.addDroplet({ name: "bastion" });
    const { ip } = state.addAddress({ dropletId: stranger.id });
    const machine = await world.fleet.add("a");
    const pool = await world.pool("web", { ips: [ip] });
    await world.start();
    await pool.is("Fulfilled", "True");
    expect(world.fleet.holderOf(ip)).to.equal(machine);
    await pool.reports(ip);
  });
});
