import { expect } from "chai";
import { describe, it } from "mocha";
import { type HolderNodes, markChainsFor } from "../../../src/addresses/marks/mark-plan.js";
import { nodeFacts } from "../../../src/match/node-facts.js";
import { slimNode } from "../../match/cluster.js";

const NODES = ["n1", "n2", "n3"];

describe("the plan for the taint of nodes that wait for an address", () => {
  const facts = { key: "k", asked: true, bearers: [] as readonly string[], unmatched: [] as readonly string[] };
  const candidates = NODES.map((name) => nodeFacts(slimNode(name)));
  const holders = { names: ["n1"], possible: [], uncertain: false };
  const changes = (taint: Partial<typeof facts>, more: Partial<HolderNodes> = {}) =>
    markChainsFor({ candidates, untilTaint: { ...facts, ...taint } }, { ...holders, ...more })
      .flat()
      .map((action) => (action.do === "taint-until" ? `${action.present ? "+" : "-"}${action.node}` : action.do));

  it("is on candidates without an address", () => {
    expect(changes({})).to.deep.equal(["+n2", "+n3"]);
    expect(changes({ bearers: ["n2", "n3"] })).to.deep.equal([]);
  });

  it("leaves a node when the address is there, or when the match does not mean the node", () => {
    expect(changes({ bearers: ["n1", "n2", "n3"] })).to.deep.equal(["-n1"]);
    expect(changes({ bearers: ["n2", "n3", "x", "y"], unmatched: ["x"] })).to.deep.equal(["-x"]);
  });

  it("stays as it is where an address may be", () => {
    expect(changes({ bearers: ["n2"] }, { names: [], possible: ["n1", "n2"] })).to.deep.equal(["+n3"]);
  });

  it("goes from all nodes if the spec does not ask for it, a few at a time", () => {
    expect(changes({ asked: false, bearers: ["n1", "n2"] })).to.deep.equal(["-n1", "-n2"]);
    expect(changes({ asked: false, bearers: Array.from({ length: 50 }, (_, index) => `x${index}`) })).to.have.length(
      20,
    );
  });
});
