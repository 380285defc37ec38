/** The differences to the Go operator that the migration guide documents, where no other test shows them. */

import { Annotation } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { World } from "../world.js";

describe("operator in process: documented differences to the Go operator", function () {
  this.timeout(120_000);
  let world: World;

  afterEach(() => world.close());

  it("uses the first unassigned address of the spec first", async () => {
    world = await World.create();
    world.addNode("node-1");
    const [first = "", last = ""] = [1, 2].map(() => world.digitalocean.state.addAddress().ip);
    world.addPool("web", { ips: [first, last] });
    world.start();
    await world.until("one is active", () => world.status("web").ips?.[first]?.state === "active");
    await world.rest();
    expect(world.status("web").ips?.[last]?.state).to.equal("unassigned");
  });

  it("annotates a node when the assignment is completed, not when it is accepted", async () => {
    world = await World.create({ speed: 5 });
    world.addNode("node-1");
    const { ip } = world.digitalocean.state.addAddress();
    world.digitalocean.state.failActions();
    world.addPool("web", { ips: [ip] });
    world.start();
    await world.until("the accepted action has failed", () => world.status("web").ips?.[ip]?.state === "error");
    expect(world.annotations("node-1")).to.deep.equal({});
    await world.until("annotated", () => world.annotations("node-1")[Annotation.reservedIpv4] === ip);
    expect(world.holder(ip)).not.to.equal(undefined);
  });
});
