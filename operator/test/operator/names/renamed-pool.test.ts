import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { World } from "../world.js";

const DNS = { recordName: "www", zone: "example.com", provider: "digitalocean", deletionPolicy: "Retain" } as const;

describe("operator in process: a pool that gets another name or region", function () {
  this.timeout(40_000);
  let world: World;

  beforeEach(async () => {
    world = await World.create();
    for (const name of ["node-1", "node-2", "node-3"]) world.addNode(name);
  });

  afterEach(() => world.close());

  for (const reclaimPolicy of ["Retain", "Delete"] as const)
    it(`keeps its addresses on their nodes, and its records, under ${reclaimPolicy}`, async () => {
      world.addPool("web", { desiredIPs: 2, reclaimPolicy, dnsRecordSet: DNS });
      world.start();
      await world.fulfilled("web");
      const ips = Object.keys(world.status("web").ips ?? {});
      const records = () =>
        world.digitalocean.state.dns.records("example.com", "www").map(({ id, data }) => ({ id, data }));
      await world.until("the records", () => records().length === 2);
      const before = { records: records(), holders: ips.map((ip) => world.holder(ip)) };
      const calls = world.digitalocean.journal.count({ mutating: true });

      world.addPool("site", { ips, desiredIPs: 2, reclaimPolicy, dnsRecordSet: DNS });
      await world.until("the claim", () => world.condition("site", "Conflict")?.status === "True");
      await world.clock.sleep(120_000);
      world.kubernetes.delete(world.refTo("web"));
      await world.until("the end of the pool", () => world.kubernetes.get(world.refTo("web")) === undefined);
      await world.fulfilled("site");
      await world.until("DNSReady", () => world.condition("site", "DNSReady")?.status === "True");
      await world.clock.sleep(300_000);

      expect({ records: records(), holders: ips.map((ip) => world.holder(ip)) }).to.deep.equal(before);
      expect(world.digitalocean.journal.count({ mutating: true })).to.equal(calls);
      expect(world.digitalocean.state.addresses()).to.have.length(2);
    });

  it("leaves its name to another one as soon as its records are deleted, though its address waits for resolvers", async () => {
    const dnsRecordSet = { ...DNS, deletionPolicy: "Delete", ttl: 3600 } as const;
    const names = () => world.digitalocean.state.dns.records("example.com", "www").map(({ data }) => data);
    const [own = ""] = world.addAddresses(1);
    world.addPool("web", { desiredIPs: 1, reclaimPolicy: "Delete", dnsRecordSet });
    world.start();
    await world.fulfilled("web");
    await world.until("its record", () => names().length === 1);
    world.addPool("site", { ips: [own], dnsRecordSet });
    await world.until("it waits", () => world.condition("site", "DNSReady")?.reason === "ClaimedByOther");
    const since = world.clock.now();
    world.kubernetes.delete(world.refTo("web"));
    await world.until("the other one publishes", () => names().join() === own);
    expect(world.clock.now() - since).to.be.below(120_000);
    expect(world.digitalocean.state.addresses(), "the address waits").to.have.length(2);
    await world.until("the release", () => world.digitalocean.state.addresses().length === 1);
    expect(world.clock.now() - since).to.be.within(3_590_000, 4_200_000);
    expect(names()).to.deep.equal([own]);
  });

  it("keeps its addresses where they are if its region changes", async () => {
    world.addPool("web", { desiredIPs: 2, region: "nyc3" });
    world.start();
    await world.fulfilled("web");
    const calls = world.digitalocean.journal.count({ mutating: true });
    world.edit("web", { region: "ams3" });
    await world.clock.sleep(300_000);
    expect(world.condition("web", "Fulfilled")).to.include({ status: "True", reason: "NoNodeInRegion" });
    world.edit("web", { desiredIPs: 3 });
    await world.until("the obstacle", () => world.condition("web", "Fulfilled")?.reason === "WrongRegion");
    expect(world.digitalocean.journal.count({ mutating: true })).to.equal(calls);
  });
});
