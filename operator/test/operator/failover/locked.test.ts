/** An action that the provider never ends: its address stays locked. */

import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { World } from "../world.js";

const NEVER_MS = 1_000_000_000;
const READ = /^GET \/v2\/reserved_ips\/[\d.]+$/;

describe("operator in process: an address that the provider keeps locked", function () {
  this.timeout(120_000);
  let world: World;

  afterEach(() => world.close());

  it("is named with the action and the remedy, stalls its pool, and is read less and less often", async () => {
    world = await World.create({ nodes: 1 });
    world.digitalocean.state.settings.durations.assign = NEVER_MS;
    const { ip } = world.digitalocean.state.addAddress();
    world.addPool("web", { ips: [ip] });
    world.start();
    await world.until("it is stalled", () => world.condition("web", "Stalled")?.status === "True");
    const [action] = world.digitalocean.state.runningActions;
    const { reason, message = "" } = world.condition("web", "Fulfilled") ?? {};
    expect(reason).to.equal("AddressLocked");
    expect(message).to.match(
      /the provider has kept \S+ locked since \S+Z \(action \d+ of the operator has not ended\)/,
    );
    expect(message)
      .to.include(ip)
      .and.include(`action ${action?.id} `)
      .and.include("fix: have the owner of the account");
    expect(world.status("web").ips?.[ip]).to.deep.include({ state: "in-progress", reason: "AddressLocked" });
    await world.clock.sleep(300_000);
    const before = world.digitalocean.journal.count({ on: READ });
    await world.clock.sleep(600_000);
    expect(world.digitalocean.journal.count({ on: READ }) - before, "reads in 10 minutes").to.be.within(8, 14);
    world.digitalocean.state.abortActions(ip);
    await world.until("a new try", () => world.condition("web", "Fulfilled")?.reason !== "AddressLocked");
  });

  it("is named by a RoutedIP, too", async () => {
    const made = await RoutedWorld.create(["n1"]);
    world = made.world;
    world.digitalocean.state.settings.durations.assign = NEVER_MS;
    const { ip } = world.digitalocean.state.addAddress();
    made.addIssuer();
    made.addRouted("a", { routedIP: ip });
    made.serve({ node: "n1" });
    world.start();
    await made.until("it is stalled", () => made.condition("a", "Stalled").startsWith("True"));
    expect(made.condition("a", "Assigned")).to.equal("False/AddressLocked");
  });
});
