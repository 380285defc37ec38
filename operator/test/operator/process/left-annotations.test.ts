import { Annotation } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { World } from "../world.js";

describe("operator in process: annotations that are left on nodes", function () {
  this.timeout(240_000);
  let world: World;

  afterEach(() => world.close());

  it("removes annotations of owners that are gone, and those that name no owner and are wrong", async () => {
    world = await World.create({ nodes: 3 });
    const [ip = "", elsewhere = ""] = world.addAddresses(2);
    const owner = "default/gone/0000";
    world.annotate("node-1", { [Annotation.reservedIpv4]: "203.0.113.9", [Annotation.reservedIpv4Owner]: owner });
    world.annotate("node-2", { [Annotation.reservedIpv4]: elsewhere });
    world.annotate("node-3", { [Annotation.reservedIpv4]: ip, other: "kept" });
    world.digitalocean.state.setHolder(ip, world.droplet("node-3").id);
    world.start();
    await world.until("cleaned", () => Object.keys(world.annotations("node-1")).length === 0);
    await world.until("cleaned", () => Object.keys(world.annotations("node-2")).length === 0);
    await world.rest();
    expect(world.annotations("node-3")).to.deep.equal({ [Annotation.reservedIpv4]: ip, other: "kept" });
  });

  it("leaves annotations alone whose owners it does not look after", async () => {
    world = await World.create({ nodes: 2 });
    const [ip = ""] = world.addAddresses(1);
    world.addPool("web", { ips: [ip] });
    const first = world.start();
    await world.fulfilled("web");
    const holder = world.status("web").ips?.[ip]?.nodeName ?? "";
    const other = holder === "node-1" ? "node-2" : "node-1";
    const before = world.annotations(holder);
    expect(before).to.have.property(Annotation.reservedIpv4Owner);
    await first.stop();
    // As the Go operator leaves one: without an owner, and of an address that is elsewhere by now.
    const stale = { [Annotation.reservedIpv4]: ip };
    world.annotate(other, stale);
    world.start({ features: "dns" });
    await world.clock.sleep(60_000);
    await world.rest();
    expect(world.annotations(holder)).to.deep.equal(before);
    expect(world.annotations(other)).to.deep.equal(stale);
  });
});
