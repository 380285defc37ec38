import { expect } from "chai";
import { describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

/** Reads show no address that is younger. */
const LAG_MS = 25_000;

describe("operator in process: a RoutedIP whose new address the reads of a new process do not show yet", function () {
  this.timeout(120_000);

  it("does not count as missing", async () => {
    const made = await RoutedWorld.create(["n1"], { speed: 20 });
    const { world } = made;
    try {
      world.digitalocean.faults.inject({ kind: "stale-reads", ms: LAG_MS }, { on: /^POST \/v2\/reserved_ips$/ });
      made.addIssuer();
      made.addRouted("a", {});
      made.serve({ node: "n1" });
      const former = world.start();
      await made.until("it is created", () => made.status("a").created === true);
      await former.kill();
      const at = world.clock.now();
      world.start();
      await made.until("it is served", () => made.condition("a", "Assigned").startsWith("True"));
      await world.clock.sleep(Math.max(0, at + 60_000 - world.clock.now()));
      expect(world.events("AddressNotFound").map(({ message }) => message)).to.deep.equal([]);
      expect(made.condition("a", "Assigned")).to.match(/^True/);
      const alone = world.digitalocean.journal.entries.filter(
        ({ method, path }) => method === "GET" && path.startsWith("/v2/reserved_ips/"),
      );
      expect(alone, "reads of the address alone").to.not.be.empty;
      expect(world.digitalocean.journal.count({ on: /^DELETE / }), "ports that were closed").to.equal(0);
    } finally {
      await made.close();
    }
  });
});
