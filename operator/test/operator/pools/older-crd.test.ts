import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { definitionsOfGoOperator, definitionsWithout, loosened, redefine } from "../process/older-definitions.js";
import { World } from "../world.js";

const ASSIGN = /^POST \/v2\/reserved_ips\/[^/]+\/actions$/;
const CREATE = /^POST \/v2\/reserved_ips$/;
const MINUTE = 60_000;

describe("operator in process: a pool under an older CRD", function () {
  this.timeout(240_000);
  let world: World;

  afterEach(() => world.close());

  const times = (on: RegExp) => world.digitalocean.journal.calls({ on }).map(({ at }) => at);

  it("makes nothing under a CRD that drops its fields, and still moves what is listed", async () => {
    world = await World.create({ nodes: 3, definitions: definitionsOfGoOperator() });
    const [ip = ""] = world.addAddresses(1);
    world.addPool("web", { ips: [ip], desiredIPs: 2 });
    const { operator } = world.start();
    await world.until("assigned", () => world.holder(ip) !== undefined);
    await world.until("an Event reports it", () => world.events("CRDTooOld").length > 0);
    expect(operator.health.report("readyz").text).to.include("CRD too old");
    await world.until("active", () => world.status("web").ips?.[ip]?.state === "active");
    const before = world.holder(ip);
    world.setReady(world.status("web").ips?.[ip]?.nodeName ?? "", false);
    await world.until("moved", () => world.holder(ip) !== before && world.holder(ip) !== undefined);
    await world.rest();
    expect(times(CREATE)).to.be.empty;
    expect(times(ASSIGN)).to.have.length(2);
  });

  it("serves records from memory, and does not write what the server drops again and again", async () => {
    world = await World.create({ nodes: 3, definitions: definitionsOfGoOperator() });
    let patches = 0;
    world.kubernetes.setFaults(({ method, path }) => {
      if (method === "PATCH" && path.includes("/floatingippools/")) patches += 1;
      return undefined;
    });
    const ips = world.addAddresses(2);
    world.addPool("web", { ips, dnsRecordSet: { zone: "example.com", recordName: "www" } });
    world.start();
    const names = () => world.digitalocean.state.dns.records("example.com").filter(({ name }) => name === "www");
    const named = () => names().map(({ data }) => data);
    await world.until("named", () => named().length === 2);
    await world.rest();
    expect(patches).to.be.below(20);
    patches = 0;
    await world.clock.sleep(25 * MINUTE);
    expect(patches, "one for each probe").to.be.at.most(3);
    const [ip = ""] = ips;
    const before = world.holder(ip);
    world.setReady(world.status("web").ips?.[ip]?.nodeName ?? "", false);
    await world.until("moved", () => world.holder(ip) !== before && world.holder(ip) !== undefined);
    await world.rest();
    expect(named()).to.have.members(ips);
    expect(world.events("RecordsReplaced")).to.be.empty;
    expect(world.complaints.filter((line) => line.includes("asks for more"))).to.be.empty;
    expect(patches).to.be.below(20);

    redefine(world.kubernetes);
    await world.until("the record is in the status", () => world.status("web").dns?.values.length === 2);
  });

  it("refuses a change of the family of created addresses under the CRD of this release, but accepts their own family", async () => {
    world = await World.create({ nodes: 1 });
    world.addPool("web", { desiredIPs: 1 });
    world.start();
    await world.fulfilled("web");
    await world.rest();
    const replace = (change: object) => {
      const { ips: _listed, ipFamily: _family, ...spec } = world.pool("web").spec;
      world.kubernetes.change(
        world.refTo("web"),
        (object) => ({ ...object, spec: { ...spec, ...change } }) as typeof object,
      );
    };
    expect(() => replace({ ipFamily: "IPv6" })).to.throw(/family \(ipFamily, or that of ips\) cannot change/);
    expect(() => replace({ ips: ["2001:db8::1"] })).to.throw(/cannot change: a pool has one family/);
    for (const change of [{ ipFamily: "IPv4" }, {}, { ips: world.addAddresses(1) }]) replace(change);
    world.addPool("new", { desiredIPs: 1, ipFamily: "IPv6", paused: true });
    world.edit("new", { ipFamily: "IPv4" });
  });

  it("serves its created addresses on when the spec asks for the other family, and says so", async () => {
    world = await World.create({ nodes: 3, definitions: loosened() });
    world.addPool("web", { desiredIPs: 2, dnsRecordSet: { zone: "example.com", recordName: "www" } });
    world.start();
    await world.fulfilled("web");
    await world.rest();
    const { ips: _listed, ...spec } = world.pool("web").spec;
    world.kubernetes.change(
      world.refTo("web"),
      (object) => ({ ...object, spec: { ...spec, desiredIPs: 3, ipFamily: "IPv6" } }) as typeof object,
    );
    const [[ip = "", entry] = []] = Object.entries(world.status("web").ips ?? {});
    const before = world.holder(ip);
    world.setReady(entry?.nodeName ?? "", false);
    await world.until("moved", () => world.holder(ip) !== before && world.holder(ip) !== undefined);
    await world.rest();
    expect(times(CREATE), "none of either family").to.have.length(2);
    expect(world.status("web").ips?.[ip]?.state).to.equal("active");
    expect(world.condition("web", "DNSReady")?.status).to.equal("True");
    expect(world.condition("web", "Fulfilled")).to.include({ status: "False", reason: "Invalid" });
    const accepted = world.condition("web", "Accepted");
    expect(accepted).to.include({ status: "False", reason: "Invalid" });
    expect(accepted?.message).to.match(/asks for IPv6.*the operator created .*IPv4.*create a second pool for IPv6/);
  });

  it("renames a record set whose beginning the server drops, and does not write it again and again", async () => {
    world = await World.create({ nodes: 1, definitions: definitionsWithout("begunRecords") });
    const set = (recordName: string) => ({ zone: "example.com", recordName, deletionPolicy: "Delete" as const });
    world.addPool("web", { ips: world.addAddresses(1), dnsRecordSet: set("a") });
    world.start();
    const names = () =>
      world.digitalocean.state.dns.records("example.com").flatMap(({ type, name }) => (type === "A" ? [name] : []));
    await world.until("named", () => names().join() === "a");
    world.edit("web", { dnsRecordSet: set("b") });
    await world.until("renamed", () => names().join() === "b");
    await world.rest();
    let patches = 0;
    world.kubernetes.setFaults(({ method, path }) => {
      if (method === "PATCH" && path.includes("/floatingippools/")) patches += 1;
      return undefined;
    });
    await world.clock.sleep(25 * MINUTE);
    expect(patches, "one for each probe").to.be.at.most(3);
  });

  it("creates at once when the CRDs of this release are applied, though a watch sees no change of the pool", async () => {
    world = await World.create({ nodes: 2, definitions: definitionsOfGoOperator() });
    world.addPool("web", { desiredIPs: 2 });
    const { operator } = world.start();
    await world.until("an Event reports it", () => world.events("CRDTooOld").length > 0);
    await world.rest();
    redefine(world.kubernetes);
    const appliedAt = world.clock.now();
    world.kubernetes.compact();
    world.kubernetes.resetConnections();
    await world.until("created", () => times(CREATE).length > 0);
    expect((times(CREATE)[0] ?? 0) - appliedAt).to.be.below(MINUTE);
    await world.fulfilled("web");
    await world.until("ready", () => operator.health.report("readyz").ok);
  });
});
