import { expect } from "chai";
import { beforeEach, describe, it } from "mocha";
import { FLAP_WINDOW_MS, IDLE_PROBE_INTERVALS } from "../../src/timings.js";
import { CHECK, HealthRig, node } from "./health-rig.js";

const HOST = "10.0.0.2";
/** No node has an address; node-2 is a candidate. */
const CANDIDATE = { holders: [], others: [node("node-2")] };

describe("health checks of a node that flaps or is replaced", () => {
  let rig: HealthRig;

  beforeEach(() => {
    rig = new HealthRig();
  });

  it("keeps what it knows of a node that flaps, also while the node is not probed", async () => {
    rig.resource.follow(CHECK, CANDIDATE);
    await rig.flap(HOST, 30_000);
    expect(rig.resource.failureOf(node("node-2")), "after one failure").to.equal(undefined);
    await rig.flap(HOST, 0);
    rig.resource.follow(CHECK, { holders: [], others: [] });
    await rig.clock.advance(30_000);
    rig.resource.follow(CHECK, CANDIDATE);
    await rig.clock.advance(3 * IDLE_PROBE_INTERVALS * 1_000);
    expect(rig.resource.failureOf(node("node-2"))).to.include("healthy again after 2 failures");
    await rig.clock.advance(60_000);
    expect(rig.resource.failureOf(node("node-2"))).to.equal(undefined);
  });

  it("does not turn against a node that stayed well for long enough, while an address is on its way to it", async () => {
    rig.resource.follow(CHECK, CANDIDATE);
    for (let flap = 0; flap < 2; flap++) await rig.flap(HOST, 90_000);
    expect(rig.resource.failureOf(node("node-2")), "a candidate again").to.equal(undefined);
    // The node that gets an address no longer waits for one, and does not have it yet.
    rig.resource.follow(CHECK, { holders: [], others: [] });
    expect(rig.resource.failureOf(node("node-2")), "when the address arrives").to.equal(undefined);
    await rig.clock.advance(1_000);
    rig.resource.follow(CHECK, { holders: [node("node-2")], others: [] });
    expect(rig.resource.failureOf(node("node-2"))).to.equal(undefined);
    // When it gives the address away again, for another reason, it can have the next one.
    rig.resource.follow(CHECK, { holders: [], others: [] });
    expect(rig.resource.failureOf(node("node-2"))).to.equal(undefined);
    rig.resource.follow(CHECK, CANDIDATE);
    await rig.flap(HOST);
    expect(rig.resource.failureOf(node("node-2")), "after the next failure").to.include(
      "healthy again after 3 failures",
    );
  });

  it("does not keep a node from its address that got it although it was to wait longer", async () => {
    rig.resource.follow(CHECK, CANDIDATE);
    for (let flap = 0; flap < 2; flap++) await rig.flap(HOST);
    expect(rig.resource.failureOf(node("node-2"))).to.include("healthy again after 2 failures");
    rig.resource.follow(CHECK, { holders: [node("node-2")], others: [] });
    expect(rig.resource.failureOf(node("node-2")), "as holder").to.equal(undefined);
    rig.resource.follow(CHECK, { holders: [], others: [] });
    expect(rig.resource.failureOf(node("node-2")), "as former holder").to.equal(undefined);
  });

  it("lets the node go when its failures leave the window, though it is not probed", async () => {
    rig.resource.follow(CHECK, CANDIDATE);
    for (let flap = 0; flap < 2; flap++) await rig.flap(HOST);
    rig.resource.follow(CHECK, { holders: [], others: [] });
    expect(rig.resource.failureOf(node("node-2"))).to.include("healthy again after 2 failures");
    await rig.clock.advance(FLAP_WINDOW_MS);
    expect(rig.resource.failureOf(node("node-2"))).to.equal(undefined);
  });

  it("starts anew with a node of the same name that is another one", async () => {
    rig.mute.add(HOST);
    rig.resource.follow(CHECK, CANDIDATE);
    await rig.clock.advance(20_000);
    expect(rig.resource.failureOf(node("node-2"))).to.be.a("string");
    const replaced = { ...node("node-2"), uid: "another" };
    expect(rig.resource.failureOf(replaced)).to.equal(undefined);
    rig.mute.clear();
    rig.resource.follow(CHECK, { holders: [], others: [replaced] });
    expect(rig.resource.failureOf(replaced)).to.equal(undefined);
  });
});
