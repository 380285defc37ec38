import { expect } from "chai";
import { describe, it } from "mocha";
import {
  type Block,
  orderOf,
  reliesOn,
  type StepName,
  stepsOf,
} from "../../../../src/controllers/routed-ip/update/steps.js";

const RECORD = ["arm", "find-firewall", "find-ports"] as const;
const RULES = [...RECORD, "record", "add-rules"] as const;
const NODE = [...RULES, "make-room"] as const;

/** What may not begin before: all that each step waits for, directly or not. */
const WAITS: Readonly<Record<StepName, readonly StepName[]>> = {
  arm: [],
  elect: ["arm"],
  "find-firewall": [],
  "find-ports": [],
  record: RECORD,
  "add-rules": [...RECORD, "record"],
  "make-room": RULES,
  "add-node": NODE,
  assign: [...NODE, "add-node"],
  "remove-rules": [...RECORD, "record"],
  "remove-nodes": [...NODE, "add-node", "assign"],
  untaint: [...NODE, "add-node", "assign"],
};
/** The assignment waits for no firewall. */
const WAITS_POST_ALLOW: typeof WAITS = {
  ...WAITS,
  assign: ["arm", "find-ports"],
  "make-room": [...RULES, "assign"],
  "add-node": [...NODE, "assign"],
  "remove-nodes": [...RECORD, "record", "assign"],
  untaint: ["arm", "find-ports", "assign"],
};

describe("the steps of an update", () => {
  for (const postAllow of [false, true]) {
    const all = orderOf(postAllow);
    const expected = postAllow ? WAITS_POST_ALLOW : WAITS;

    it(`wait for those that they rely on, ${postAllow ? "the firewall after" : "the firewall before"} the address`, () => {
      for (const step of all) {
        const waits = all.filter((other) => reliesOn(step, other, postAllow));
        expect(waits, step).to.have.members([...expected[step]]);
      }
    });

    it(`come after those that they rely on, ${postAllow ? "the firewall after" : "the firewall before"} the address`, () => {
      for (const step of all) {
        for (const other of expected[step])
          expect(all.indexOf(other), `${other} ${step}`).to.be.below(all.indexOf(step));
      }
    });
  }

  it("are those with something to do that no blocked one holds up; a blocked one's own action unblocks it", () => {
    const actions = Object.fromEntries(orderOf(false).map((name) => [name, [{ do: "add-finalizer", why: name }]]));
    const free = (name: StepName, postAllow = false) =>
      stepsOf({ actions, blocks: new Map<StepName, Block>([[name, "pending"]]), postAllow }).map((step) => step.name);
    expect(free("add-rules")).to.have.members([
      ...["arm", "elect", "find-firewall", "find-ports", "record", "add-rules", "remove-rules"],
    ]);
    expect(free("assign")).not.to.include.members(["remove-nodes", "untaint"]);
    expect(free("add-node", true)).to.include.members(["assign", "untaint", "remove-nodes"]);
    expect(stepsOf({ actions: {}, blocks: new Map(), postAllow: false })).to.deep.equal([]);
  });
});
