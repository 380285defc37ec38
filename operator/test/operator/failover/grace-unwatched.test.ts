import { expect } from "chai";
import type { ApiObject } from "flipop-sandbox/kubernetes";
import { afterEach, describe, it } from "mocha";
import { World } from "../world.js";

const SECOND_MS = 1000;
const GRACE_S = 600;

describe("operator in process: a holder fails, recovers and fails again while no process leads", function () {
  this.timeout(240_000);
  let world: World;

  afterEach(() => world.close());

  /** As the node lifecycle controller does, with the time of the transition. */
  const setReady = (name: string, ready: boolean) => {
    const lastTransitionTime = new Date(world.clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
    const condition = { type: "Ready", status: ready ? "True" : "False", reason: "Tested", lastTransitionTime };
    const edit = (object: ApiObject) => ({
      ...object,
      status: { ...(object["status"] as object), conditions: [condition] },
    });
    world.kubernetes.change({ apiVersion: "v1", kind: "Node", name }, edit as never, "status");
  };

  it("it has the whole grace period for the second failure, and no more", async () => {
    world = await World.create();
    world.addNode("n1");
    world.addNode("n2");
    const { ip } = world.digitalocean.state.addAddress();
    world.addPool("web", { ips: [ip], gracePeriodSeconds: GRACE_S });
    const first = world.start();
    await world.fulfilled("web");
    const holder = world.status("web").ips?.[ip]?.nodeName ?? "";
    const machine = world.holder(ip);
    setReady(holder, false);
    await world.until("grace", () => world.status("web").ips?.[ip]?.graceSince !== undefined);
    await first.stop();
    setReady(holder, true);
    await world.clock.sleep(300 * SECOND_MS);
    setReady(holder, false);
    const failedAt = world.clock.now();
    await world.clock.sleep(200 * SECOND_MS);
    world.start();
    await world.clock.sleep(200 * SECOND_MS);
    expect(world.holder(ip), "its grace is not over").to.equal(machine);
    const { graceSince = "" } = world.status("web").ips?.[ip] ?? {};
    expect(Math.abs(Date.parse(graceSince) - failedAt)).to.be.at.most(SECOND_MS);
    await world.until("the move", () => world.holder(ip) !== machine);
    expect(world.clock.now() - failedAt).to.be.at.least((GRACE_S - 1) * SECOND_MS);
  });
});
