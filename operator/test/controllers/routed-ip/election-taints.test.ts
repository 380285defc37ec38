import { expect } from "chai";
import { describe, it } from "mocha";
import { electTaint, heldTaint, strayTaints, taintedByUs } from "../../../src/controllers/routed-ip/node-election.js";
import type { Taint } from "../../../src/kube/cache/slim-objects.js";
import { classRules } from "../../../src/routing/resolved-class.js";
import type { TaintedNode } from "../../../src/routing/taint-registry.js";
import { TAINT } from "./model-cluster.js";

const TERMS = classRules({});
const OTHER: Taint = { key: "flipop.digitalocean.com/gold", effect: "NoSchedule" };

/** Nodes with their taints, and what others need on them. */
function view(
  nodes: Readonly<Record<string, readonly Taint[]>>,
  needed: Readonly<Record<string, readonly Taint[]>> = {},
) {
  const neededOn = (name: string) => needed[name] ?? [];
  const tainted = Object.entries(nodes).map(
    ([name, taints]): TaintedNode => ({ name, taints, needed: neededOn(name) }),
  );
  const taintsOn = (name: string) => nodes[name] ?? [];
  return { taints: { nodes: tainted, neededOn, taintsOn }, resolvedClass: TERMS };
}

describe("the taint of the elected node", () => {
  const elected = (scene: ReturnType<typeof view>) => electTaint(scene, "n1").map(({ taints }) => taints);

  it("is put beside what others need, and written once", () => {
    expect(elected(view({}))).to.deep.equal([[TAINT]]);
    expect(elected(view({ n1: [TAINT] }))).to.deep.equal([]);
    expect(elected(view({ n1: [OTHER] }, { n1: [OTHER] }))).to.deep.equal([[OTHER, TAINT]]);
    expect(elected(view({ n1: [TAINT, OTHER] })), "no RoutedIP needs the other one").to.deep.equal([[TAINT]]);
  });

  it("is one for each key and effect; of two values the other's stays", () => {
    const valued = { ...TAINT, value: "gold" };
    expect(elected(view({ n1: [valued] }, { n1: [valued] })), "theirs is as good").to.deep.equal([]);
    expect(elected(view({ n1: [valued] })), "no RoutedIP needs the value").to.deep.equal([[TAINT]]);
    const noSchedule: Taint = { ...TAINT, effect: "NoSchedule" };
    expect(elected(view({ n1: [noSchedule] }, { n1: [noSchedule] }))).to.deep.equal([[noSchedule, TAINT]]);
  });

  it("follows the class on a holder that has it while no node serves, and is not added there", () => {
    const held = (scene: ReturnType<typeof view>) => heldTaint(scene, "n1").map(({ taints }) => taints);
    const noSchedule: Taint = { ...TAINT, effect: "NoSchedule" };
    expect(held(view({ n1: [noSchedule] })), "another effect").to.deep.equal([[TAINT]]);
    expect(held(view({ n1: [noSchedule, OTHER] }, { n1: [OTHER] })), "what others need").to.deep.equal([
      [OTHER, TAINT],
    ]);
    expect(held(view({ n1: [TAINT] })), "as it should be").to.deep.equal([]);
    expect(held(view({})), "it has none").to.deep.equal([]);
    expect(held(view({ n1: [noSchedule] }, { n1: [noSchedule] })), "it is another's").to.deep.equal([]);
    expect(held(view({ n1: [TAINT] }, { n1: [OTHER] })), "what others have not set yet").to.deep.equal([]);
  });

  it("goes from every other node, but for what others need there", () => {
    const scene = view({ n1: [TAINT], n2: [TAINT, OTHER], n3: [OTHER] }, { n2: [OTHER], n3: [OTHER] });
    const strays = strayTaints(scene, ["n1"]).map(({ node, taints }) => [node, taints]);
    expect(strays).to.deep.equal([["n2", [OTHER]]]);
  });

  it("is left behind if it has the operator's key and no other resource needs it; without a resolved class any", () => {
    const scene = view({ n1: [TAINT], n2: [TAINT], n3: [OTHER] }, { n2: [TAINT] });
    expect(taintedByUs(scene)).to.deep.equal(["n1"]);
    expect(taintedByUs({ taints: scene.taints })).to.deep.equal(["n1", "n3"]);
  });
});
