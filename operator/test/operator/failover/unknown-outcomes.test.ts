/** An assign call whose answer is lost, and whose action does not end on the node that it was for. */

import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { World } from "../world.js";

const ASSIGN = /^POST \/v2\/reserved_(ips|ipv6)\/[^/]+\/actions$/;
/** The list of an address's actions. */
const LATEST = /^GET \/v2\/reserved_(ips|ipv6)\/[^/]+\/actions$/;

describe("operator in process: an assignment of unknown outcome", function () {
  this.timeout(240_000);
  let world: World;

  /** The next assign call begins, its answer is lost, and its action ends errored. */
  const loseAndFail = () => {
    world.digitalocean.faults.inject({ kind: "reset", when: "after" }, { on: ASSIGN });
    world.digitalocean.state.failActions();
  };
  const address = () => world.digitalocean.state.addAddress().ip;

  afterEach(() => world.close());

  it("ends within its bound where the action fails: the address is assigned again", async () => {
    world = await World.create({ nodes: 1 });
    const ip = address();
    loseAndFail();
    world.addPool("web", { ips: [ip] });
    world.start();
    const startedAt = world.clock.now();
    await world.fulfilled("web");
    expect((world.clock.now() - startedAt) / 1000).to.be.below(60);
  });

  it("gives its node free, for another pool", async () => {
    world = await World.create({ nodes: 1 });
    const [lost, next] = [address(), address()];
    loseAndFail();
    world.addPool("web", { ips: [lost] });
    world.start();
    await world.until("the first one is begun", () => world.status("web").ips?.[lost]?.state === "in-progress");
    world.edit("web", { match: { nodeLabel: "no-node=has-it" } });
    world.addPool("other", { ips: [next] });
    await world.fulfilled("other");
    expect(world.holder(lost)).to.equal(undefined);
  });

  it("goes elsewhere where its node is gone", async () => {
    world = await World.create({ nodes: 2 });
    const ip = address();
    loseAndFail();
    world.addPool("web", { ips: [ip], nodePreference: "Name" });
    world.start();
    await world.until("it is begun", () => world.digitalocean.journal.count({ on: ASSIGN }) === 1);
    world.removeNode("node-1");
    await world.fulfilled("web");
    expect(world.status("web").ips?.[ip]?.nodeName).to.equal("node-2");
  });

  it("is followed by its id, once the address's list of actions shows it", async () => {
    world = await World.create({ nodes: 1, speed: 20 });
    const ip = address();
    world.digitalocean.state.settings.durations.assign = 20_000;
    loseAndFail();
    world.addPool("web", { ips: [ip] });
    world.start();
    await world.until("its id is known", () => (world.status("web").ips?.[ip]?.actionID ?? "") !== "");
    const { journal } = world.digitalocean;
    expect(journal.count({ on: ASSIGN }), "assign calls until then").to.equal(1);
    world.clock.speed = 600;
    await world.fulfilled("web");
    expect(journal.count({ on: LATEST }), "the list is read once").to.equal(1);
    expect(journal.count({ on: /^GET .*\/actions\/\d+$/ }), "the action is polled").to.be.above(0);
  });

  it("ends at once where that list says that it failed, though no read has shown the address since", async () => {
    world = await World.create({ nodes: 1 });
    const ip = address();
    world.digitalocean.state.settings.durations.assign = 500;
    loseAndFail();
    world.addPool("web", { ips: [ip] });
    world.start();
    await world.fulfilled("web");
    const { journal } = world.digitalocean;
    const [lost, again] = journal.calls({ on: ASSIGN });
    expect((again?.at ?? Infinity) - (lost?.at ?? 0)).to.be.below(10_000);
  });

  it("ends within its bound for IPv6, whose actions the API does not list", async () => {
    world = await World.create({ nodes: 1 });
    const { ip } = world.digitalocean.state.addAddress({ family: "ipv6" });
    loseAndFail();
    world.addPool("web", { ips: [ip], family: "IPv6" } as Parameters<World["addPool"]>[1]);
    world.start();
    await world.fulfilled("web");
    expect(world.digitalocean.journal.count({ on: LATEST })).to.equal(0);
  });

  for (const family of ["ipv4", "ipv6"] as const) {
    it(`is looked at again before the next try, and stays where it ended: ${family}`, async () => {
      world = await World.create({ nodes: 3, speed: 10 });
      const { ip } = world.digitalocean.state.addAddress({ family });
      world.digitalocean.state.settings.durations.assign = 700;
      world.digitalocean.faults.inject({ kind: "status", status: 504, when: "after" }, { on: ASSIGN });
      world.addPool("web", { ips: [ip], ...(family === "ipv6" && { ipFamily: "IPv6" }) });
      world.start();
      await world.fulfilled("web");
      expect(world.digitalocean.journal.count({ on: ASSIGN })).to.equal(1);
    });
  }

  it("leaves an address active on its holder, once that is healthy again", async () => {
    world = await World.create({ nodes: 2 });
    const ip = address();
    world.addPool("web", { ips: [ip], nodePreference: "Name" });
    world.start();
    await world.fulfilled("web");
    const holder = world.holder(ip);
    world.digitalocean.state.settings.durations.assign = 300_000;
    world.digitalocean.faults.inject({ kind: "status", status: 500 }, { on: LATEST, times: Infinity });
    loseAndFail();
    world.setReady("node-1", false);
    await world.until("the move is begun", () => world.status("web").ips?.[ip]?.state === "in-progress");
    world.setReady("node-1", true);
    await world.until("the address is active", () => world.status("web").ips?.[ip]?.state === "active");
    expect(world.status("web").ips?.[ip]?.nodeName).to.equal("node-1");
    expect(world.digitalocean.state.address(ip).actionId, "the action still runs").not.to.equal(null);
    await world.clock.sleep(600_000);
    expect(world.holder(ip)).to.equal(holder);
    expect(world.digitalocean.journal.count({ on: ASSIGN }), "the first move, and the lost one").to.equal(2);
  });

  it("ends in the next process, which knows of it from the status alone", async () => {
    world = await World.create({ nodes: 1, speed: 20 });
    const ip = address();
    loseAndFail();
    world.addPool("web", { ips: [ip] });
    const previous = world.start();
    await world.until("the status has it", () => world.status("web").ips?.[ip]?.actionID === "");
    await previous.kill();
    world.start();
    world.clock.speed = 600;
    await world.fulfilled("web");
  });
});

describe("operator in process: an assignment of unknown outcome, of a RoutedIP", function () {
  this.timeout(240_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  it("ends within its bound where the action fails: the address is assigned again", async () => {
    made = await RoutedWorld.create(["n1"]);
    const { ip } = made.world.digitalocean.state.addAddress();
    made.world.digitalocean.faults.inject({ kind: "reset", when: "after" }, { on: ASSIGN });
    made.world.digitalocean.state.failActions();
    made.addIssuer();
    made.addRouted("a", { routedIP: ip });
    made.serve({ node: "n1" });
    made.world.start();
    await made.ready("a");
    expect(made.nodeOf("a")).to.equal("n1");
  });
});
