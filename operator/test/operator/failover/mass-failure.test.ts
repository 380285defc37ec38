import { Annotation } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import type { Probe } from "../../../src/health/probe.js";
import { runKubelet } from "../kubelets.js";
import { World, type WorldOptions } from "../world.js";

const FLAGS = { features: "pools,dns,healthchecks" };
const ASSIGN = /^POST \/v2\/reserved_ips\/[^/]+\/actions$/;

describe("operator in process: holders that fail together", function () {
  this.timeout(240_000);
  let world: World;
  let metrics: () => Promise<string>;

  const assigned = () => world.digitalocean.journal.calls({ on: ASSIGN }).length;

  afterEach(() => world.close());

  /** Three holders that Kubernetes calls NotReady, and three other nodes. */
  async function masses(options: WorldOptions = {}): Promise<void> {
    const probe: Probe = () => Promise.resolve({ ok: true });
    world = await World.create({ nodes: 3, speed: 100, flags: FLAGS, probe, ...options });
    for (const name of ["node-1", "node-2", "node-3"]) runKubelet(world, name);
    world.addPool("web", { ips: world.addAddresses(3) });
    const { operator } = world.start();
    metrics = () => operator.registry.text();
    await world.fulfilled("web");
    for (const name of ["node-4", "node-5", "node-6"]) world.addNode(name);
    await world.until("they are candidates", () => world.status("web").counts?.candidates === 6);
    for (const name of ["node-1", "node-2"]) world.setReady(name, false);
  }

  const active = () => Object.values(world.status("web").ips ?? {}).filter(({ state }) => state === "active").length;

  it("stops moves when most holders fail at once and nothing confirms it, until a person says otherwise", async () => {
    await masses();
    const served = () => Object.values(world.status("web").ips ?? {}).map(({ nodeName = "" }) => nodeName);
    const newHolders = () => ["node-4", "node-5", "node-6"].filter((name) => served().includes(name));
    await world.until("two moves are no mass failure", () => newHolders().length === 2 && active() === 3);
    expect(assigned()).to.equal(5);
    world.setReady(newHolders()[0] ?? "", false);
    await world.until("the stop is shown", () => world.condition("web", "MassFailure")?.status === "True");
    expect(world.condition("web", "MassFailure")?.message).to.include("3 nodes that hold addresses failed");
    await world.until("an Event", () => world.events("MassFailure").length > 0);
    expect(await metrics()).to.include('flipop_mass_failure{zone=""} 1');
    await world.clock.sleep(60_000);
    expect(assigned()).to.equal(5);
    const annotations = { [Annotation.ignoreMassFailure]: "true" };
    world.change(world.refTo("web"), "metadata", { annotations });
    await world.until("it moves", () => assigned() === 6 && active() === 3);
    expect(world.condition("web", "MassFailure")?.status).to.equal("False");
  });

  it("lifts the stop after the window", async () => {
    await masses();
    world.setReady("node-3", false);
    await world.until("the stop is shown", () => world.condition("web", "MassFailure")?.status === "True");
    const before = assigned();
    await world.until(
      "all have moved",
      () => active() === 3 && world.condition("web", "MassFailure")?.status === "False",
    );
    expect(assigned()).to.be.greaterThan(before);
    expect(await metrics()).to.include('flipop_mass_failure{zone=""} 0');
  });

  it("keeps to the limit of moves of the whole operator", async () => {
    await masses({ flags: { ...FLAGS, "max-moves-per-minute": "1" } });
    const at = world.clock.now();
    await world.until("both have moved", () => assigned() === 5);
    const calls = world.digitalocean.journal.calls({ on: ASSIGN }).slice(-2);
    expect((calls[1]?.at ?? 0) - (calls[0]?.at ?? 0)).to.be.at.least(59_000);
    expect((calls[0]?.at ?? 0) - at).to.be.lessThan(30_000);
  });
});
