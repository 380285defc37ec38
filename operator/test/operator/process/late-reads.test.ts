import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { World } from "../world.js";

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

const ALONE = /^GET \/v2\/reserved_ips\/[^/]+$/;

describe("operator in process: an address that is being read", function () {
  this.timeout(120_000);
  let world: World;
  afterEach(() => world.close());

  it("is no lack of nodes for a pool", async () => {
    world = await World.create({ nodes: 2 });
    const [first = ""] = world.addAddresses(1);
    world.addPool("web", { ips: [first] });
    world.start();
    await world.fulfilled("web");
    await world.rest();
    world.clock.speed = 20;
    world.digitalocean.faults.inject({ kind: "delay", ms: 4_000 }, { on: ALONE, times: Infinity });
    const { ip } = world.digitalocean.state.addAddress();
    world.edit("web", { ips: [first, ip] });
    const seen = new Set<string>();
    await world.until("both are active", () => {
      const { status, reason } = world.condition("web", "Fulfilled") ?? {};
      seen.add(`${status}/${reason}`);
      return world.status("web").counts?.active === 2;
    });
    expect([...seen]).to.not.include("False/TooFewCandidates");
  });

  it("is no lack of nodes for a RoutedIP", async () => {
    const made = await RoutedWorld.create(["n1", "n2"]);
    world = made.world;
    await made.readyOnFirst();
    await world.rest();
    world.clock.speed = 20;
    made.serve({ node: "n1" }, { node: "n2" });
    world.digitalocean.faults.inject({ kind: "delay", ms: 4_000 }, { on: ALONE, times: Infinity });
    made.addRouted("b", { routedIP: world.digitalocean.state.addAddress().ip });
    const seen = new Set<string>();
    await world.until("b is ready", () => {
      seen.add(made.condition("b", "Assigned") ?? "");
      return made.condition("b", "Ready") === "True/Observed";
    });
    expect([...seen].filter((each) => each.startsWith("False"))).to.deep.equal([]);
  });
});
