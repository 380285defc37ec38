/** A holder that disappears while the operator's own action on its address is recent. */

import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { World } from "../world.js";

const READ = /^GET \/v2\/reserved_ips(\/[^/]+)?$/;

describe("operator in process: a failover soon after a move", function () {
  this.timeout(240_000);
  let world: World;

  afterEach(() => world.close());

  for (const seconds of [5, 17, 22, 28, 40]) {
    it(`takes seconds and few reads ${seconds} s after it, where the machine is gone`, async () => {
      world = await World.create({ speed: 20 });
      for (const node of ["node-1", "node-2"]) world.addNode(node);
      const { ip } = world.digitalocean.state.addAddress();
      world.addPool("web", { ips: [ip], nodePreference: "Name" });
      world.start();
      await world.fulfilled("web");
      await world.clock.sleep(seconds * 1000);

      const before = world.digitalocean.journal.count({ on: READ });
      const goneAt = world.clock.now();
      world.removeNode("node-1");
      await world.until("it is on node-2", () => world.holder(ip) !== undefined);
      expect((world.clock.now() - goneAt) / 1000).to.be.below(15);
      expect(world.digitalocean.journal.count({ on: READ }) - before).to.be.below(6);
    });
  }
});

describe("operator in process: a failover of a RoutedIP soon after a move", function () {
  this.timeout(240_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  it("takes seconds and few reads, where the machine is gone", async () => {
    made = await RoutedWorld.create(["n1", "n2"], { speed: 20 });
    const { world } = made;
    const { ip } = world.digitalocean.state.addAddress();
    made.addIssuer();
    made.addRouted("a", { routedIP: ip });
    made.serve({ node: "n1" });
    world.start();
    await made.ready("a");
    await world.clock.sleep(20_000);

    const before = world.digitalocean.journal.count({ on: READ });
    const goneAt = world.clock.now();
    made.serve({ node: "n2" });
    world.removeNode("n1");
    await made.until("it is on n2", () => world.holder(ip) !== undefined);
    expect((world.clock.now() - goneAt) / 1000).to.be.below(15);
    expect(world.digitalocean.journal.count({ on: READ }) - before).to.be.below(10);
  });
});

describe("operator in process: reads of one address that fail", function () {
  this.timeout(240_000);
  let world: World;

  afterEach(() => world.close());

  it("are a failure of the pool that names it, and of no other pool of the account", async () => {
    world = await World.create({ nodes: 2 });
    const [ip = ""] = world.addAddresses(1);
    const missing = "203.0.113.250";
    const on = new RegExp(`^GET /v2/reserved_ips/${missing}$`);
    world.digitalocean.faults.inject({ kind: "status", status: 500 }, { on, times: Infinity });
    world.addPool("web", { ips: [ip] });
    world.addPool("broken", { ips: [missing] });
    const said = new Set<string | undefined>();
    world.kubernetes.onRequest(() => {
      const { status, message } = world.condition("web", "ProviderReachable") ?? {};
      if (status === "False") said.add(message);
    });
    world.start();
    await world.until("it says so", () => world.condition("broken", "ProviderReachable")?.status === "False");
    await world.fulfilled("web");
    expect(world.condition("broken", "ProviderReachable")?.message).to.include(missing).and.include("500");
    await world.clock.sleep(900_000);
    expect([...said]).to.deep.equal([]);
    const reads = world.digitalocean.journal.count({ on });
    await world.clock.sleep(900_000);
    expect(world.digitalocean.journal.count({ on }) - reads, "reads in a quarter of an hour").to.be.below(60);
    world.digitalocean.faults.clear();
    await world.until("it is read again", () => world.condition("broken", "Fulfilled")?.reason === "AddressNotFound");
  });
});

describe("operator in process: a node whose address of no resource was released after the account was listed", function () {
  this.timeout(240_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  for (const kind of ["RoutedIP", "FloatingIPPool"]) {
    it(`gets the address of a ${kind} within seconds`, async () => {
      made = await RoutedWorld.create(["n1"], { speed: 20 });
      const { world } = made;
      const { state, journal } = world.digitalocean;
      const { ip } = state.addAddress();
      made.serve({ node: "n1" });
      if (kind === "FloatingIPPool") world.addPool("a", { ips: [ip] });
      else {
        made.addIssuer({ routedIPFirewallName: undefined });
        made.addRouted("a", { routedIP: ip });
      }
      made.addNode("n2");
      const { ip: foreign } = state.addAddress({ dropletId: world.droplet("n2").id });
      world.start();
      await made.until("it is on n1", () => world.holder(ip) !== undefined, 10_000);
      made.serve({ node: "n1" }, { node: "n2" });
      await world.clock.sleep(20_000);
      state.removeAddress(foreign);
      await world.clock.sleep(20_000);

      const before = journal.count({ on: READ });
      const failedAt = world.clock.now();
      made.serve({ node: "n2" });
      world.removeNode("n1");
      await made.until("it is on n2", () => world.holder(ip) !== undefined, 30_000);
      expect((world.clock.now() - failedAt) / 1000).to.be.below(10);
      expect(journal.count({ on: READ }) - before).to.be.below(6);
    });
  }

  it("is read once in 15 s at most while the address stays", async () => {
    made = await RoutedWorld.create(["n1"]);
    const { world } = made;
    const { state, journal } = world.digitalocean;
    state.addAddress({ dropletId: world.droplet("n1").id });
    made.addIssuer({ routedIPFirewallName: undefined });
    made.addRouted("a", { routedIP: state.addAddress().ip });
    made.serve({ node: "n1" });
    world.start();
    await made.until("it waits", () => made.condition("a", "Ready") === "False/NoCandidate", 10_000);
    const before = journal.count({ on: READ });
    for (let second = 0; second < 300; second++) {
      made.serve({ node: "n1", ready: second % 2 === 0 });
      await world.clock.sleep(1000);
    }
    expect(journal.count({ on: READ }) - before).to.be.within(4, 21);
    await world.rest();
    const quiet = journal.count({ on: READ });
    await world.clock.sleep(600_000);
    expect(journal.count({ on: READ }) - quiet, "of ten minutes without a change").to.be.below(7);
  });
});
