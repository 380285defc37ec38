import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { World } from "../world.js";

/** The two attempts of the call, and one of the next call, which may begin before the status is written. */
const MOST_ATTEMPTS = 3;

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
    const said = new Set<string>();
    const reachable = () => world.condition("web", "ProviderReachable")?.status ?? "";
    kubernetes.onRequest(() => said.add(reachable()));
    const after = journal.mark;
    const list = /^GET .*\/reserved_ips/;
    faults.inject({ kind: "timeout" }, { on: list });
    await world.until("the slow list is read", () => journal.calls({ on: list, after }).length >= 2);
    await clock.sleep(10_000);
    expect([...said.add(reachable())]).to.deep.equal(["True"]);
    const silentAfter = journal.mark;
    faults.inject({ kind: "timeout" }, { on: /./, times: Number.POSITIVE_INFINITY });
    await world.until("it is reported", () => reachable() === "False");
    const [first] = journal.calls({ after: silentAfter });
    const attempts = journal.calls({ after: silentAfter }).filter(({ path }) => path === first?.path);
    expect(attempts).to.have.lengthOf.at.most(MOST_ATTEMPTS);
    faults.clear();
    await world.until("it answers again", () => reachable() === "True");
  });
});
