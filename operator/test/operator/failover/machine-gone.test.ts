import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { LIST_MAX_AGE_SECONDS, SECOND_MS } from "../../../src/timings.js";
import { World } from "../world.js";

/** The calls and the run after the read of the list. */
const SLACK_MS = 30 * SECOND_MS;
const LIST_MS = LIST_MAX_AGE_SECONDS * SECOND_MS;
/** Kubernetes marks the node NotReady this long after its kubelet stopped. */
const NOT_READY_MS = 45 * SECOND_MS;

describe("operator in process: a machine is deleted at the provider, and its Node object stays", function () {
  this.timeout(120_000);
  let world: World;

  afterEach(() => world.close());

  async function start(gracePeriodSeconds: number) {
    world = await World.create({ nodes: 2, patient: true });
    const [ip = ""] = world.addAddresses(1);
    world.addPool("web", { ips: [ip], gracePeriodSeconds });
    world.start();
    await world.fulfilled("web");
    await world.clock.sleep(SLACK_MS);
    const entry = () => world.status("web").ips?.[ip];
    const holder = entry()?.nodeName ?? "";
    const at = world.clock.now();
    world.digitalocean.state.deleteDroplet(world.droplet(holder).id);
    const moved = () =>
      world.until("moved", () => entry()?.state === "active" && ![holder, undefined].includes(entry()?.nodeName));
    return { holder, moved, elapsed: () => world.clock.now() - at };
  }

  it("moves the address after the next list of the account, although the node stays Ready", async () => {
    const { moved, elapsed } = await start(0);
    await moved();
    expect(elapsed()).to.be.within(NOT_READY_MS, LIST_MS + SLACK_MS);
    const refused = world.digitalocean.journal.calls({ mutating: true }).filter(({ status = 0 }) => status >= 400);
    expect(refused, "tries of the machine that is gone").to.have.length.of.at.most(1);
  });

  it("moves it as soon as the node is NotReady", async () => {
    const { holder, moved, elapsed } = await start(0);
    await world.clock.sleep(NOT_READY_MS);
    world.setReady(holder, false);
    await moved();
    expect(elapsed()).to.be.within(NOT_READY_MS, NOT_READY_MS + SLACK_MS);
  });

  it("moves it after the next list, whatever the grace period", async () => {
    const { holder, moved, elapsed } = await start(3600);
    await world.clock.sleep(NOT_READY_MS);
    world.setReady(holder, false);
    await moved();
    expect(elapsed()).to.be.within(NOT_READY_MS, LIST_MS + SLACK_MS);
  });
});
