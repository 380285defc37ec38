/** A failure belongs to the name on which it happened: another name is tried at once. */

import type { DnsRecordSet } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { DnsWorld, ZONE } from "../../controllers/node-dns-record-set/dns-world.js";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { World } from "../world.js";

const OLD: DnsRecordSet = { zone: ZONE, recordName: "old" };

describe("operator in process: a name that its provider refuses", function () {
  this.timeout(240_000);
  let close: () => Promise<void>;

  afterEach(() => close());

  function refuse({ digitalocean }: World): void {
    digitalocean.state.dns.addRecord(ZONE, { type: "CNAME", name: "old", data: "elsewhere.example.org.", ttl: 60 });
  }

  async function tried(world: World, message: () => string): Promise<void> {
    await world.until("the reason", () => message().includes("RecordExists"));
    await world.clock.sleep(1_200_000);
  }

  for (const deletionPolicy of ["Retain", "Delete"] as const) {
    it(`is no reason to wait with another one of a NodeDNSRecordSet, under ${deletionPolicy}`, async () => {
      const rig = await DnsWorld.create();
      close = () => rig.close();
      refuse(rig.world);
      rig.addNode("n1");
      rig.addSet("game", { dnsRecordSet: { ...OLD, deletionPolicy } });
      rig.start();
      await tried(rig.world, () => rig.condition("game", "DNSReady"));
      expect(rig.status("game").counts?.published, "published").to.equal(0);
      rig.edit("game", { dnsRecordSet: { ...OLD, recordName: "new", deletionPolicy } });
      await rig.world.clock.sleep(5_000);
      expect(rig.records("new")).to.deep.equal([rig.address("n1")]);
      await rig.ready();
      expect(rig.condition("game", "Ready")).to.match(/^True/);
    });

    it(`is no reason to wait with another one of a pool, under ${deletionPolicy}`, async () => {
      const world = await World.create({ nodes: 1 });
      close = () => world.close();
      refuse(world);
      const { ip } = world.digitalocean.state.addAddress();
      world.addPool("web", { ips: [ip], dnsRecordSet: { ...OLD, deletionPolicy } });
      world.start();
      await tried(world, () => `${world.condition("web", "DNSReady")?.reason}`);
      world.edit("web", { dnsRecordSet: { ...OLD, recordName: "new", deletionPolicy } });
      await world.clock.sleep(5_000);
      expect(world.digitalocean.state.dns.records(ZONE, "new").map(({ data }) => data)).to.deep.equal([ip]);
      await world.until("it is ready", () => world.condition("web", "DNSReady")?.status === "True");
    });
  }

  it("is no reason to wait with another one of a RoutedIP", async () => {
    const made = await RoutedWorld.create(["n1"]);
    close = () => made.world.close();
    refuse(made.world);
    const { ip } = made.world.digitalocean.state.addAddress();
    made.addIssuer();
    made.addRouted("a", { routedIP: ip, dnsRecordSet: OLD });
    made.serve({ node: "n1" });
    made.world.start();
    await tried(made.world, () => made.condition("a", "DNSReady"));
    made.world.change(made.refTo("a"), "spec", { dnsRecordSet: { ...OLD, recordName: "new" } });
    await made.world.clock.sleep(5_000);
    expect(made.world.digitalocean.state.dns.records(ZONE, "new").map(({ data }) => data)).to.deep.equal([ip]);
  });
});
