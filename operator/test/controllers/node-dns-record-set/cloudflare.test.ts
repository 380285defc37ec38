import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { DnsWorld, NAME, ZONE } from "./dns-world.js";

const BATCH = "POST /zones/{zone_id}/dns_records/batch";

describe("the controller of node record sets, at Cloudflare", function () {
  this.timeout(120_000);
  let rig: DnsWorld;

  afterEach(() => rig.close());

  it("works where only Cloudflare has credentials, with a zone by its id and a full name, in one transaction a change", async () => {
    rig = await DnsWorld.create({ providers: ["cloudflare"] });
    for (const node of ["n1", "n2"]) rig.addNode(node);
    const zone = rig.cloudflare.zone(ZONE).id;
    rig.addSet("game", { provider: "cloudflare", dnsRecordSet: { zone, recordName: NAME } });
    rig.start();
    await rig.ready();
    expect(rig.cloudflareRecords()).to.deep.equal([rig.address("n1"), rig.address("n2")].sort());
    rig.addNode("n3");
    rig.world.setReady("n1", false);
    await rig.until(
      "it follows",
      () => `${rig.cloudflareRecords()}` === `${[rig.address("n2"), rig.address("n3")].sort()}`,
    );
    const { journal } = rig.cloudflare;
    expect(journal.count({ on: BATCH })).to.be.at.most(3);
    expect(journal.count({ mutating: true })).to.equal(journal.count({ on: BATCH }));
    expect(journal.count({ on: "GET /zones/{zone_id}/dns_records" })).to.equal(1);
    expect(rig.cloudflare.records(ZONE, NAME).map(({ comment }) => comment)).to.deep.equal(
      Array(2).fill("flipop: default/game"),
    );
  });

  it("takes relative names and the zone by its name, and raises a TTL that is too short", async () => {
    rig = await DnsWorld.create({ providers: ["cloudflare"] });
    rig.addNode("n1");
    rig.addSet("game", { dnsRecordSet: { provider: "cloudflare", zone: ZONE, recordName: "game", ttl: 30 } });
    rig.addSet("apex", { dnsRecordSet: { provider: "cloudflare", zone: ZONE, recordName: "@", ttl: 1 } });
    rig.start();
    await Promise.all([rig.ready("game"), rig.ready("apex")]);
    expect(rig.cloudflare.records(ZONE, NAME).map(({ ttl }) => ttl)).to.deep.equal([60]);
    expect(rig.condition("game", "DNSReady")).to.equal("True/TTLRaised");
    expect(rig.cloudflare.records(ZONE, ZONE).map(({ ttl }) => ttl)).to.deep.equal([1]);
    expect(rig.condition("apex", "DNSReady")).to.equal("True/Observed");
  });

  it("sees that two sets mean one name, though one names the zone by its id", async () => {
    rig = await DnsWorld.create({ providers: ["cloudflare"] });
    rig.addNode("n1");
    const zone = rig.cloudflare.zone(ZONE).id;
    rig.addSet("game", { dnsRecordSet: { provider: "cloudflare", zone: ZONE, recordName: "game" } });
    rig.start();
    await rig.ready();
    await rig.world.clock.sleep(2_000);
    rig.addSet("late", { dnsRecordSet: { provider: "cloudflare", zone, recordName: NAME }, addressType: "InternalIP" });
    await rig.until("late has lost", () => rig.condition("late", "Conflict") === "True/ClaimedByOther");
    expect(rig.cloudflareRecords()).to.deep.equal([rig.address("n1")]);
    expect(rig.condition("game", "Conflict")).to.equal("False/Observed");
  });

  it("names the provider that is missing, and what would help", async () => {
    rig = await DnsWorld.create({ providers: ["cloudflare"] });
    rig.addNode("n1");
    rig.addSet("game");
    rig.start();
    await rig.until("it says so", () => rig.condition("game", "Accepted") === "False/UnknownProvider");
    const { state, error } = rig.status("game");
    expect(state).to.equal("error");
    expect(error).to.contain("DIGITALOCEAN_ACCESS_TOKEN");
    expect(rig.condition("game", "ProviderReachable")).to.equal("False/UnknownProvider");
    rig.edit("game", { provider: "cloudflare" });
    await rig.ready();
    expect(rig.cloudflareRecords()).to.deep.equal([rig.address("n1")]);
  });

  it("is not stopped at one provider by an outage of the other", async () => {
    rig = await DnsWorld.create();
    rig.addNode("n1");
    rig.world.digitalocean.faults.inject({ kind: "status", status: 503 }, { times: 10_000 });
    rig.addSet("there", { dnsRecordSet: { zone: ZONE, recordName: "there" } });
    rig.addSet("game", { dnsRecordSet: { zone: ZONE, recordName: "game", provider: "cloudflare" } });
    rig.start();
    await rig.ready();
    await rig.until(
      "the other says so",
      () => rig.condition("there", "ProviderReachable") === "False/ProviderUnavailable",
    );
    rig.world.digitalocean.faults.clear();
    await rig.ready("there");
  });
});
