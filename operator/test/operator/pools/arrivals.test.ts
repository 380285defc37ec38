import { expect } from "chai";
import { describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { inWorld, type World } from "../world.js";

/** Longer than any poll takes to come, so that the operator dies while it runs. */
const ASSIGN_MS = 20_000;

function arrivalsAt(world: World, node: string): readonly string[] {
  const notes = world.events("Assigned").map(({ message }) => String(message));
  return notes.filter((note) => note.endsWith(node));
}

describe("operator in process: killed while an address moves, which then ends without it", function () {
  this.timeout(240_000);

  it("says of a pool's address that it has arrived, without another call", () =>
    inWorld({ nodes: 1 }, async (world) => {
      const { durations } = world.digitalocean.state.settings;
      const [ip = ""] = world.addAddresses(1);
      world.addPool("web", { ips: [ip] });
      const first = world.start();
      await world.fulfilled("web");
      durations.assign = ASSIGN_MS;
      const machine = world.addNode("node-2");
      world.setReady("node-1", false);
      await world.until("it moves", () => world.status("web").ips?.[ip]?.actionID !== undefined);
      await first.kill();
      expect(arrivalsAt(world, "node-2"), "before it arrives").to.deep.equal([]);
      await world.until("it arrives", () => world.holder(ip) === machine);
      world.start();
      await world.until("the status says so", () => world.status("web").ips?.[ip]?.state === "active");
      await world.rest();
      expect(arrivalsAt(world, "node-2")).to.deep.equal([`${ip} is on node-2`]);
    }));

  it("says the same of a RoutedIP", async () => {
    const made = await RoutedWorld.create(["n1", "n2"]);
    const { world } = made;
    try {
      const { ip } = world.digitalocean.state.addAddress();
      made.addIssuer();
      made.addRouted("a", { routedIP: ip });
      made.serve({ node: "n1" });
      const first = world.start();
      await made.ready("a");
      world.digitalocean.state.settings.durations.assign = ASSIGN_MS;
      made.serve({ node: "n1", ready: false, serving: false }, { node: "n2" });
      await made.until("it moves", () => made.status("a").actionID !== undefined);
      await first.kill();
      await made.until("it arrives", () => made.nodeOf("a") === "n2");
      world.start();
      await made.until("the status says so", () => made.status("a").state === "active");
      await world.rest();
      expect(arrivalsAt(world, "n2")).to.deep.equal([`${ip} is on n2`]);
    } finally {
      await made.close();
    }
  });
});
