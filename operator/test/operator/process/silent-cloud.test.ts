import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { World } from "../world.js";

/** Two attempts of 15 s, and the pauses around them. */
const NOTICED_MS = 40_000;

describe("operator in process: a cloud that answers no call", function () {
  this.timeout(120_000);
  let world: World;

  afterEach(() => world.close());

  it("is reported after two attempts, and not after one slow answer", async () => {
    world = await World.create({ speed: 60, nodes: 1 });
    const { clock, kubernetes } = world;
    const { faults, journal } = world.digitalocean;
    world.addPool("web", { ips: world.addAddresses(1) });
    world.start();
    await world.fulfilled("web");
    const said = new Map<string, number>();
    const reachable = () => world.condition("web", "ProviderReachable")?.status ?? "";
    kubernetes.onRequest(() => said.has(reachable()) || said.set(reachable(), clock.now()));
    const after = journal.mark;
    const list = /^GET .*\/reserved_ips/;
    faults.inject({ kind: "timeout" }, { on: list });
    await world.until("the slow list is read", () => journal.calls({ on: list, after }).length >= 2);
    await clock.sleep(10_000);
    expect([...said.keys()]).to.deep.equal(["True"]);
    const silentAfter = journal.mark;
    faults.inject({ kind: "timeout" }, { on: /./, times: Number.POSITIVE_INFINITY });
    await world.until("it is reported", () => reachable() === "False");
    const [first] = journal.calls({ after: silentAfter });
    expect(clock.now() - (first?.at ?? 0)).to.be.below(NOTICED_MS);
    faults.clear();
    await world.until("it answers again", () => reachable() === "True");
  });
});
