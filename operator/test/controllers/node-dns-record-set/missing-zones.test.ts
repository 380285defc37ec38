import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { DnsWorld } from "./dns-world.js";

const ZONE = "none.example";
const SET = { zone: ZONE, recordName: "game" };
const ZONE_GONE = /\/domains\/none\.example/;
const MINUTE = 60_000;

describe("a record set whose zone its provider lacks", function () {
  this.timeout(120_000);
  let rig: DnsWorld;

  beforeEach(async () => {
    rig = await DnsWorld.create({ providers: ["digitalocean"] });
    rig.addNode("n1");
  });

  afterEach(() => rig.close());

  const lacksZone = (name = "game") =>
    rig.until("it says so", () => rig.condition(name, "DNSReady") === "False/ZoneNotFound");
  const reads = () => rig.world.digitalocean.journal.count({ on: ZONE_GONE });

  it("is served about a minute after a person has created the zone, however long it was missing", async () => {
    rig.addSet("game", { dnsRecordSet: SET });
    rig.start();
    await lacksZone();
    await rig.world.clock.sleep(30 * MINUTE);
    const before = reads();
    await rig.world.clock.sleep(30 * MINUTE);
    expect(reads() - before, "one read a minute").to.be.within(25, 31);
    rig.world.digitalocean.state.dns.addDomain(ZONE);
    await rig.world.clock.sleep(MINUTE + 10_000);
    expect(rig.world.digitalocean.state.dns.records(ZONE, "game").map(({ data }) => data)).to.deep.equal([
      rig.address("n1"),
    ]);
  });

  it("costs ten reads a minute with many such sets", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `game-${index}`);
    for (const name of names) rig.addSet(name, { dnsRecordSet: { ...SET, recordName: name } });
    rig.start();
    for (const name of names) await lacksZone(name);
    await rig.world.clock.sleep(10 * MINUTE);
    const before = reads();
    await rig.world.clock.sleep(10 * MINUTE);
    expect(reads() - before).to.be.within(60, 110);
  });

  it("is served at once when a call for another name has found the zone, however many waited", async () => {
    const names = Array.from({ length: 40 }, (_, index) => `game-${index}`);
    for (const name of names) rig.addSet(name, { dnsRecordSet: { ...SET, recordName: name } });
    rig.start();
    for (const name of names) await lacksZone(name);
    rig.world.digitalocean.state.dns.addDomain(ZONE);
    const isServed = (name: string) => rig.condition(name, "DNSReady") === "True/Observed";
    await rig.until("one is served", () => names.some(isServed));
    await rig.world.clock.sleep(20_000);
    expect(names.filter((name) => !isServed(name))).to.deep.equal([]);
  });

  it("is gone about a minute after the zone is back, if it was deleted meanwhile", async () => {
    rig.world.digitalocean.state.dns.addDomain(ZONE);
    rig.addSet("game", { dnsRecordSet: { ...SET, deletionPolicy: "Delete" } });
    rig.start();
    await rig.ready();
    const fault = rig.world.digitalocean.faults.inject(
      { kind: "status", status: 404 },
      { on: ZONE_GONE, times: Infinity },
    );
    await lacksZone();
    rig.delete("game");
    await rig.world.clock.sleep(20 * MINUTE);
    expect(rig.object("game"), "the object").not.to.equal(undefined);
    fault.cancel();
    await rig.world.clock.sleep(MINUTE + 10_000);
    expect(rig.object("game")).to.equal(undefined);
  });
});
