import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { World } from "../world.js";

describe("operator in process: Warnings about a new pool", function () {
  this.timeout(240_000);
  let world: World;

  beforeEach(async () => {
    // As with a real cloud, calls take time.
    world = await World.create({ patient: true });
  });

  afterEach(() => world.close());

  const warnings = (): readonly string[] =>
    world.kubernetes
      .list("events.k8s.io/v1", "Event")
      .filter((event) => event["type"] === "Warning")
      .map((event) => `${String(event["reason"])} ${String(event["action"])}`)
      .sort();

  const addPool = () =>
    world.addPool("web", { desiredIPs: 1, dnsRecordSet: { zone: "example.com", recordName: "www" } });

  it("wait while its nodes start: the first reconcile emits none", async () => {
    addPool();
    world.start();
    await world.until("the first status", () => world.condition("web", "Fulfilled")?.reason === "NoCandidate");
    world.addNode("node-1");
    await world.fulfilled("web");
    await world.rest();
    expect(warnings()).to.deep.equal([]);
  });

  it("come once when what it lacks at the start lasts", async () => {
    addPool();
    world.start();
    await world.until("the Warnings", () => warnings().length > 0);
    await world.rest();
    expect(warnings()).to.deep.equal(["NoCandidate Fulfilled", "NoneActive DNSReady"]);
  });

  it("wait while the cloud limits calls: the first creation, which the operator repeats, emits none", async () => {
    world.digitalocean.faults.inject({ kind: "status", status: 429 }, { on: /^POST/, times: 6 });
    world.addNode("node-1");
    addPool();
    world.start();
    await world.until("the wait", () => world.condition("web", "Fulfilled")?.reason === "RateLimited");
    await world.fulfilled("web");
    await world.rest();
    expect(warnings()).to.deep.equal([]);
  });

  const limits = [
    ["calls", /./, ["RateLimited Accepted"]],
    ["creations alone", /^POST/, ["NoneActive DNSReady", "RateLimited Fulfilled"]],
  ] as const;
  for (const [what, on, expected] of limits) {
    it(`come once when the limit of ${what} lasts`, async () => {
      world.digitalocean.faults.inject({ kind: "status", status: 429 }, { on, times: Infinity });
      world.addNode("node-1");
      addPool();
      const before = world.clock.now();
      world.start();
      await world.until("the Warnings", () => warnings().length > 0);
      expect(world.clock.now() - before).to.be.at.least(60_000);
      // While the limit lasts, the operator tries on: the world comes to no rest.
      await world.clock.sleep(180_000);
      expect(warnings()).to.deep.equal(expected);
    });
  }

  it("come at once for a creation that the cloud refuses", async () => {
    world.digitalocean.faults.inject({ kind: "status", status: 422 }, { on: /^POST/, times: Infinity });
    world.addNode("node-1");
    addPool();
    const before = world.clock.now();
    world.start();
    await world.until("the Warnings", () => warnings().some((warning) => warning.endsWith("DNSReady")));
    expect(world.clock.now() - before).to.be.below(30_000);
  });

  it("come at once for what does not end by itself", async () => {
    world.addPool("web", { desiredIPs: 1, provider: "unknown" });
    const before = world.clock.now();
    world.start();
    await world.until("the Warning", () => warnings().length > 0);
    expect(world.clock.now() - before).to.be.below(30_000);
  });
});
