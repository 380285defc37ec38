import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

describe("operator in process: RoutedIPs beside another installation that serves the pools", function () {
  this.timeout(120_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  it("do not advise to release an address that a pool may have", async () => {
    made = await RoutedWorld.create(["n1"], { flags: { features: "routedip" } });
    const { world } = made;
    const { ip } = world.digitalocean.state.addAddress({ dropletId: world.droplet("n1").id });
    made.addIssuer();
    made.addRouted("web");
    made.serve({ node: "n1" });
    world.start();
    await made.until("no node has room", () => JSON.stringify(made.status("web").conditions ?? []).includes(ip));
    const text = JSON.stringify(made.status("web").conditions);
    expect(text).to.contain(`${ip}, which no resource that this operator watches names`);
    expect(text).not.to.contain(`release ${ip}`);
  });
});
