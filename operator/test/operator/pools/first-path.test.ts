import { Annotation, KINDS } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { World } from "../world.js";

describe("operator in process: the first path", function () {
  this.timeout(240_000);
  let world: World;

  beforeEach(async () => {
    world = await World.create();
  });

  afterEach(() => world.close());

  it("gives a pool its addresses, annotates the nodes and says so in the status", async () => {
    const machines = ["node-1", "node-2", "node-3"].map((name) => world.addNode(name));
    const { ip } = world.digitalocean.state.addAddress();
    world.addPool("web", { ips: [ip], desiredIPs: 2 });
    world.start();
    await world.fulfilled("web");
    await world.until(
      "annotations",
      () =>
        ["node-1", "node-2", "node-3"].filter((name) => world.annotations(name)[Annotation.reservedIpv4]).length === 2,
    );
    const { createdIPs = [], counts, ips = {} } = world.status("web");
    expect(createdIPs).to.have.length(1);
    expect(counts).to.deep.equal({ desired: 2, active: 2, unassigned: 0, candidates: 3 });
    expect(Object.keys(ips)).to.have.members([ip, createdIPs[0]?.ip]);
    expect(machines).to.include.members(Object.keys(ips).map((each) => world.holder(each)));
    expect(world.complaints).to.be.empty;
    const types = (world.status("web").conditions ?? []).map(({ type }) => type);
    const more = ["DNSReady", "Published", "ProbesDoubted", "MassFailure"];
    expect([...types, ...more], "and those of what the spec does not ask for").to.have.members(
      KINDS.FloatingIPPool.conditions.map(String),
    );
  });

  it("moves an address off a node that fails", async () => {
    for (const name of ["node-1", "node-2"]) world.addNode(name);
    const { ip } = world.digitalocean.state.addAddress();
    world.addPool("web", { ips: [ip] });
    world.start();
    await world.fulfilled("web");
    const before = world.holder(ip);
    const [failing, spare] =
      world.status("web").ips?.[ip]?.nodeName === "node-1" ? ["node-1", "node-2"] : ["node-2", "node-1"];
    world.setReady(failing, false);
    await world.until("it has moved", () => world.holder(ip) !== before && world.holder(ip) !== undefined);
    await world.until("annotation", () => world.annotations(spare)[Annotation.reservedIpv4] === ip);
    await world.until("annotation gone", () => world.annotations(failing)[Annotation.reservedIpv4] === undefined);
  });
});
