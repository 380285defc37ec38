/** The firewalls of the cloud fail, and its addresses work. */

import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../../controllers/routed-ip/routed-world.js";

const FIREWALLS = /firewalls/;
const WITHHELD = /sends (none|no call) for a while/;

describe("operator in process: a failover of a pool while the firewalls of the cloud fail", function () {
  this.timeout(240_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  const firewallText = () => made.status("a").conditions?.find(({ type }) => type === "FirewallReady")?.message ?? "";

  it("goes on at once, and the pool reports no failure of the provider", async () => {
    made = await RoutedWorld.create(["n1", "n2"], { speed: 20 });
    const { world } = made;
    for (const node of ["p1", "p2", "p3"]) world.addNode(node, { labels: { pool: "yes" } });
    const [ip = "", listedLater = ""] = world.addAddresses(2);
    world.addPool("edge", { ips: [ip], nodePreference: "Name", match: { nodeLabel: "pool=yes" } });
    await made.readyOnFirst();
    await world.fulfilled("edge");
    const said = new Set<string | undefined>();
    world.kubernetes.onRequest(() => {
      const { status, message } = world.condition("edge", "ProviderReachable") ?? {};
      if (status === "False") said.add(message);
    });

    world.digitalocean.faults.inject({ kind: "status", status: 503 }, { on: FIREWALLS, times: Infinity });
    await made.until("calls about firewalls are withheld", () => WITHHELD.test(firewallText()));
    const holder = world.holder(ip);
    const began = world.clock.now();
    world.edit("edge", { ips: [ip, listedLater] });
    world.removeNode("p1");
    await world.until("it has moved", () => ![undefined, holder].includes(world.holder(ip)));
    expect((world.clock.now() - began) / 1000, "seconds").to.be.below(15);
    await world.until("the second address is assigned", () => world.holder(listedLater) !== undefined);
    await world.clock.sleep(120_000);
    expect([...said]).to.deep.equal([]);
    expect(firewallText()).to.include("firewalls").and.include("503");
  });
});
