import { expect } from "chai";
import { describe, it } from "mocha";
import { electTaint, heldTaint, strayTaints, taintedByUs } from "../../src/controllers/routed-ip/node-election.js";
import type { Taint } from "../../src/kube/cache/slim-objects.js";
import { installationOf } from "../../src/match/taint-claims.js";
import { classRules } from "../../src/routing/resolved-class.js";
import { TaintRegistry } from "../../src/routing/taint-registry.js";
import { slimNode } from "../match/cluster.js";
import { FakeClock } from "../support/time/fake-clock.js";

const TAINT: Taint = { key: "flipop.digitalocean.com/routed-ip", effect: "PreferNoSchedule" };
const GOLD: Taint = { ...TAINT, value: "gold" };
const ID = `${TAINT.key}:${TAINT.effect}`;
const OURS = "flipop.digitalocean.com/taints.flipop";
const THEIRS = "flipop.digitalocean.com/taints.edge";

function rig(
  node: { readonly taints?: readonly Taint[]; readonly annotations?: Record<string, string> },
  limited = true,
) {
  const watchNamespaces = limited ? ["web"] : [];
  const registry = new TaintRegistry(new FakeClock(), installationOf({ namespace: "flipop", watchNamespaces }));
  registry.indexResource(slimNode("n1", node), false);
  const scene = () => ({ taints: registry.view("a"), resolvedClass: classRules({}) });
  return { registry, scene };
}

describe("the taints of several installations with one key", () => {
  it("stay where another installation has them on record, or none", () => {
    for (const annotations of [{ [THEIRS]: ID }, {}]) {
      const { registry, scene } = rig({ taints: [TAINT], annotations });
      registry.expect("a", undefined);
      registry.need("a", TAINT, []);
      expect(strayTaints(scene(), [])).to.deep.equal([]);
      expect(taintedByUs(scene()), "a deletion does not wait for it").to.deep.equal([]);
    }
  });

  it("go when the last installation that has them on record needs them no more", () => {
    const both = { [OURS]: ID, [THEIRS]: ID };
    for (const [annotations, left] of [
      [both, [TAINT]],
      [{ [OURS]: ID }, []],
    ] as const) {
      const { registry, scene } = rig({ taints: [TAINT], annotations });
      registry.expect("a", undefined);
      registry.need("a", TAINT, []);
      const [action, ...more] = strayTaints(scene(), []);
      expect(more).to.deep.equal([]);
      expect(action).to.deep.include({ node: "n1", taints: left, claim: [] });
      expect(taintedByUs(scene()), "a deletion waits for the annotation, too").to.deep.equal(["n1"]);
    }
  });

  it("are on record from when a RoutedIP needs them, also where the taint is there already", () => {
    const { registry, scene } = rig({ taints: [GOLD], annotations: { [THEIRS]: ID } });
    registry.expect("a", undefined);
    const [action] = electTaint(scene(), "n1");
    expect(action, "of two values the other's stays").to.deep.include({ taints: [GOLD], claim: [ID] });
    registry.indexResource(slimNode("n1", { taints: [GOLD], annotations: { [THEIRS]: ID, [OURS]: ID } }), false);
    expect(electTaint(scene(), "n1")).to.deep.equal([]);
    registry.indexResource(slimNode("n1", { taints: [GOLD], annotations: { [OURS]: ID } }), false);
    expect(electTaint(scene(), "n1")[0], "the other one has left").to.deep.include({ taints: [TAINT] });
  });

  it("are on record while no node serves, and a holder without the taint gets none", () => {
    const { scene } = rig({ taints: [TAINT] });
    expect(heldTaint(scene(), "n1")[0]).to.deep.include({ taints: [TAINT], claim: [ID] });
    expect(heldTaint(rig({}).scene(), "n1")).to.deep.equal([]);
  });

  it("of an earlier release are the installation's on nodes that its RoutedIPs' statuses name", () => {
    const { registry, scene } = rig({ taints: [TAINT] });
    registry.expect("a", "n1");
    registry.need("a", TAINT, []);
    expect(strayTaints(scene(), [])[0]).to.deep.include({ node: "n1", taints: [] });
    registry.indexResource(slimNode("n1", { taints: [TAINT], annotations: { [THEIRS]: ID } }), false);
    expect(strayTaints(scene(), []), "the other one has said that it needs it").to.deep.equal([]);
  });

  it("are on record for each RoutedIP of the installation that needs them", () => {
    const { registry, scene } = rig({ taints: [TAINT], annotations: { [OURS]: ID } });
    for (const uid of ["a", "b"]) registry.expect(uid, undefined);
    registry.need("b", TAINT, ["n1"]);
    registry.need("a", TAINT, ["n1"]);
    registry.need("a", TAINT, []);
    expect(strayTaints(scene(), []), "b needs it").to.deep.equal([]);
    expect(taintedByUs(scene())).to.deep.equal([]);
  });

  it("are all of an installation that sees all RoutedIPs, which needs no record, and removes the one that it had", () => {
    const { registry, scene } = rig({ taints: [TAINT], annotations: { [OURS]: ID, [THEIRS]: ID } }, false);
    registry.expect("a", undefined);
    registry.need("a", TAINT, []);
    expect(strayTaints(scene(), [])[0]).to.deep.include({ node: "n1", taints: [], claim: [] });
    expect(electTaint(scene(), "n1")[0]).to.deep.include({ taints: [TAINT], claim: [] });
    const fresh = rig({}, false);
    expect(electTaint(fresh.scene(), "n1")[0]).not.to.have.property("claim");
  });

  it("remain known after a write that the cache does not show yet", () => {
    const { registry, scene } = rig({});
    registry.expect("a", undefined);
    registry.need("a", TAINT, ["n1"]);
    registry.wrote(slimNode("n1"), { taints: [TAINT], claim: [ID] });
    expect(electTaint(scene(), "n1")).to.deep.equal([]);
    expect(strayTaints(scene(), [])[0]).to.deep.include({ node: "n1", taints: [], claim: [] });
  });
});

describe("what an installation knows of the taints of a node", () => {
  it("does not take over what only another one has on record, also while a RoutedIP of the node has not decided", () => {
    const { registry } = rig({ taints: [TAINT], annotations: { [THEIRS]: ID } });
    registry.expect("b", "n1");
    const { claims, neededOn } = registry.view("a");
    expect(claims?.with("n1", [])).to.deep.equal([]);
    expect(neededOn("n1"), "it stays all the same").to.deep.equal([TAINT]);
  });

  it("ends with the node: what others put on the next one of the name is not its own", () => {
    const { registry, scene } = rig({ taints: [TAINT] });
    registry.expect("a", "n1");
    registry.need("a", TAINT, []);
    expect(strayTaints(scene(), [])).to.have.length(1);
    registry.indexResource(slimNode("n1"), true);
    registry.indexResource(slimNode("n1", { taints: [TAINT] }), false);
    expect(strayTaints(scene(), [])).to.deep.equal([]);
  });

  it("is what it wrote until the cache shows the taints and the annotation", () => {
    const both = { taints: [TAINT], annotations: { [OURS]: ID } };
    const { registry } = rig(both);
    const { claims, taintsOn } = registry.view("a");
    registry.wrote(slimNode("n1", both), { taints: [], claim: [] });
    registry.indexResource(slimNode("n1", { annotations: { [OURS]: ID } }), false);
    expect(claims?.on("n1"), "the cache shows the first of two writes").to.deep.equal([]);
    registry.indexResource(slimNode("n1"), false);
    registry.indexResource(slimNode("n1", both), false);
    expect([taintsOn("n1"), claims?.on("n1")], "somebody has put both back").to.deep.equal([[TAINT], [ID]]);
  });

  it("is what the cache shows if that has the write before its answer", () => {
    const { registry } = rig({ taints: [TAINT] });
    const written = { taints: [TAINT], annotations: { [OURS]: ID } };
    registry.indexResource(slimNode("n1", written), false);
    registry.wrote(slimNode("n1", { taints: [TAINT] }), { taints: [TAINT], claim: [ID] });
    registry.indexResource(slimNode("n1", { annotations: { [OURS]: ID } }), false);
    expect(registry.view("a").taintsOn("n1"), "somebody has removed the taint").to.deep.equal([]);
  });
});
