import { expect } from "chai";
import { describe, it } from "mocha";
import { wantsNoNode } from "../../../src/commands/explain/status-notes.js";
import { type Explanation, explanationText } from "../../../src/commands/render/explain.js";

const ACTIVE = { state: "active" };
const LOST = { state: "error", reason: "ClaimedByOther" };
const IDLE = { state: "unassigned" };

describe("the remedies of nodes in flipop explain", () => {
  const wants = (desired: number, ...entries: readonly object[]) => {
    const ips = Object.fromEntries(entries.map((entry, index) => [`203.0.113.${index}`, entry]));
    return !wantsNoNode({ status: { counts: { desired, active: 0, unassigned: 0, candidates: 1 }, ips } });
  };

  it("are of use unless other resources have all addresses that do not serve", () => {
    expect(wants(1, LOST)).to.equal(false);
    expect(wants(2, LOST, ACTIVE, { state: "disabled" })).to.equal(false);
    expect(wants(2, LOST, IDLE)).to.equal(true);
    expect(wants(2, LOST), "one is to be created").to.equal(true);
    expect(wants(1, ACTIVE), "for the next failure").to.equal(true);
    expect(wantsNoNode({})).to.equal(false);
  });

  it("are left out if another node would change nothing", () => {
    const check = { check: "room", passed: false, seen: "full", reason: "Occupied", remedy: "Add a node." };
    const node = {
      node: "n1",
      result: "occupied",
      holds: [],
      checks: [check],
      meant: true,
      obstacles: [check],
    } as const;
    const resource = {
      kind: "FloatingIPPool",
      namespace: "default",
      name: "web",
      serves: "",
    } as Explanation["resource"];
    const lists = {
      conditions: [],
      well: [],
      problems: [],
      pods: [],
      disabled: [],
      kept: [],
      usable: [],
      unprobed: [],
    };
    const lacking: Explanation["tally"]["lacking"] = {};
    const tally: Explanation["tally"] = { nodes: 1, candidates: 0, unmeant: 0, lacking, refused: [] };
    const explanation: Explanation = { resource, asks: "any node", tally, ...lists, nodes: [node] };
    const text = (more: Partial<Explanation>) =>
      explanationText({ ...explanation, ...more }, { wide: false, all: false });
    expect(text({})).to.include("What to do:");
    expect(text({ wantsNoNode: true }))
      .to.include("Occupied: full")
      .and.not.include("What to do:");
  });
});
