import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { World } from "../world.js";

const ASSIGN = "POST /v2/reserved_ips/{reserved_ip}/actions";

describe("operator in process: addresses of another region than all nodes, which have no label of it", function () {
  this.timeout(120_000);
  let world: World;
  afterEach(() => world.close());

  it("do not try each node at once", async () => {
    world = await World.create();
    for (let number = 1; number <= 20; number++) {
      world.addNode(`node-${number}`);
      world.change({ apiVersion: "v1", kind: "Node", name: `node-${number}` }, "metadata", { labels: {} });
    }
    const ips = Array.from({ length: 3 }, () => world.digitalocean.state.addAddress({ region: "sfo3" }).ip);
    world.addPool("web", { ips });
    world.start();
    await world.until("a refusal", () => world.digitalocean.journal.count({ on: ASSIGN }) > 0);
    await world.clock.sleep(60_000);
    expect(world.digitalocean.journal.count({ on: ASSIGN })).to.be.at.most(30);
    expect(world.condition("web", "Fulfilled")?.status).to.equal("False");
  });
});
