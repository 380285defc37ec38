import { Annotation } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { DOMAIN, ROUTES, ZONE } from "./support/clouds.js";
import { spare } from "./support/spare.js";
import { useWorlds } from "./support/worlds.js";

describe("NodeDNSRecordSet", function () {
  this.timeout(180_000);
  const worlds = useWorlds();

  it("publishes the addresses of matching nodes next to a pool over the same nodes", async () => {
    const world = await worlds.create();
    const machines = await world.fleet.addAll(["a", "b", "c"]);
    const pool = await world.pool("web", { ips: spare(world, 2), dnsRecordSet: { zone: DOMAIN, recordName: "@" } });
    const set = await world.recordSet("nodes", {
      dnsRecordSet: { provider: "digitalocean", zone: DOMAIN, recordName: `nodes.${DOMAIN}`, ttl: 120 },
    });
    const inner = await world.recordSet("inner", {
      ...{ provider: "digitalocean", addressType: "InternalIP" },
      dnsRecordSet: { zone: DOMAIN, recordName: "inner" },
    });
    await world.start();
    for (const one of [set, inner]) await one.is("DNSReady", "True");
    // Ready, not DNSReady: that is True as soon as the name has the first of the two addresses.
    await pool.is("Ready", "True");
    expect(world.clouds.published("nodes")).to.deep.equal(machines.map(({ publicIp }) => publicIp).sort());
    expect(world.clouds.published("inner")).to.deep.equal(machines.map(({ privateIp }) => privateIp).sort());
    expect(world.clouds.published("@")).to.have.length(2);
    const { dns } = world.clouds.digitalocean.state;
    const ttls = (name: string) =>
      new Set(
        dns
          .records(DOMAIN, name)
          .filter(({ type }) => type === "A")
          .map(({ ttl }) => ttl),
      );
    expect([...ttls("nodes"), ...ttls("inner")]).to.deep.equal([120, 60]);
    expect(await set.status()).to.include({ state: "active" });
    expect((await set.status()).addresses?.map(({ nodeName }) => nodeName)).to.have.members(
      machines.map(({ name }) => name),
    );
  });

  it("publishes the addresses that a pool has put on the nodes", async () => {
    const world = await worlds.create();
    await world.fleet.addAll(["a", "b"]);
    const ips = spare(world, 2);
    const set = await world.recordSet("reserved", {
      ...{ provider: "digitalocean", addressType: Annotation.reservedIpv4 },
      dnsRecordSet: { zone: DOMAIN, recordName: "reserved" },
    });
    await world.pool("web", { ips });
    await world.start();
    await world.until("both addresses", () => world.clouds.published("reserved").join() === ips.join());
    await set.is("DNSReady", "True");
  });

  it("works in a Cloudflare-only install, by zone id and by zone name", async () => {
    const world = await worlds.create({ withoutToken: ["digitalocean"] });
    const machines = await world.fleet.addAll(["a", "b"]);
    const { id } = world.clouds.cloudflare.zone(ZONE);
    const byId = await world.recordSet("by-id", {
      ...{ provider: "cloudflare", dnsRecordSet: { zone: id, recordName: `by-id.${ZONE}` } },
    });
    const byName = await world.recordSet("by-name", {
      ...{ provider: "cloudflare", dnsRecordSet: { zone: ZONE, recordName: "by-name", ttl: 30 } },
    });
    const pool = await world.pool("web", { desiredIPs: 1 });
    await world.start();
    await byId.is("DNSReady", "True");
    await byName.is("DNSReady", "True TTLRaised");
    const wanted = machines.map(({ publicIp }) => publicIp).sort();
    expect(world.clouds.publishedAtCloudflare(`by-id.${ZONE}`)).to.deep.equal(wanted);
    expect(world.clouds.publishedAtCloudflare(`by-name.${ZONE}`)).to.deep.equal(wanted);
    await pool.is("Accepted", "False UnknownProvider");
    await machines[0]?.node.setReady(false);
    await world.until("one record less", () => world.clouds.publishedAtCloudflare(`by-id.${ZONE}`).length === 1);
    expect(world.clouds.digitalocean.journal.count()).to.equal(0);
  });

  it("keeps two resources from one name: the older has it, the other writes nothing and says so", async () => {
    const world = await worlds.create();
    await world.fleet.addAll(["a", "b"]);
    const dnsRecordSet = { provider: "digitalocean", zone: DOMAIN, recordName: "same" };
    const older = await world.recordSet("older", { dnsRecordSet });
    await world.start(["--resync=1"]);
    await older.is("DNSReady", "True");
    const pool = await world.pool("younger", {
      ips: spare(world, 1),
      dnsRecordSet: { ...dnsRecordSet, recordName: `SAME.${DOMAIN}.` },
    });
    await pool.is("DNSReady", "False ClaimedByOther");
    const mark = world.clouds.mark();
    await world.rounds();
    expect(world.changes(mark).filter((change) => change.includes("/records"))).to.deep.equal([]);
    expect((await pool.conditionOf("Conflict"))?.message).to.include("older");
  });

  it("changes only what differs, in few calls", async () => {
    const world = await worlds.create({ withoutToken: ["digitalocean"] });
    const machines = await world.fleet.addAll(["a", "b", "c", "d"]);
    const fqdn = `nodes.${ZONE}`;
    for (const { publicIp } of machines.slice(1)) {
      world.clouds.cloudflare.addRecord(ZONE, { type: "A", name: fqdn, content: publicIp, ttl: 60 });
    }
    world.clouds.cloudflare.addRecord(ZONE, { type: "A", name: fqdn, content: "192.0.2.250", ttl: 60 });
    world.clouds.cloudflare.addRecord(ZONE, { type: "TXT", name: fqdn, content: "somebody's" });
    const set = await world.recordSet("nodes", {
      ...{ provider: "cloudflare", dnsRecordSet: { zone: ZONE, recordName: fqdn } },
    });
    await world.start();
    await set.is("DNSReady", "True");
    expect(world.clouds.publishedAtCloudflare(fqdn)).to.deep.equal(machines.map(({ publicIp }) => publicIp).sort());
    expect(world.changes()).to.have.length(1);
    expect(world.clouds.cloudflare.journal.count({ on: ROUTES.batch })).to.equal(1);
    expect(world.clouds.cloudflare.records(ZONE, fqdn).filter(({ type }) => type === "TXT")).to.have.length(1);
  });
});
