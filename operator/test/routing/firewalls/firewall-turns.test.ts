import { expect } from "chai";
import { describe, it } from "mocha";
import { additionsOf, FirewallTurns } from "../../../src/routing/firewalls/firewall-turns.js";

const NODE = "digitalocean://1";
const RULE = { protocol: "tcp", ports: "443", sources: [], otherSources: false } as const;
const CHANGE = { id: "f", name: "ingress", addRules: [], addNodes: [], removeRules: [], removeNodes: [] };

describe("the calls of one firewall", () => {
  it("take turns, and it is crowded while one waits for another", async () => {
    const turns = new FirewallTurns();
    let end = () => {};
    const call = new Promise<void>((resolve) => {
      end = resolve;
    });
    const first = turns.take([], () => call);
    await Promise.resolve();
    expect(turns.crowded, "one call under way").to.equal(false);
    const second = turns.take([NODE], async () => "done");
    expect([turns.crowded, turns.machines]).to.deep.equal([true, [NODE]]);
    end();
    await first;
    expect(await second).to.equal("done");
    expect([turns.crowded, turns.machines]).to.deep.equal([false, []]);
  });

  it("that add only machines may be refused because of these, and removals because of none", () => {
    expect(additionsOf({ ...CHANGE, addNodes: [NODE] })).to.deep.equal([NODE]);
    expect(additionsOf({ ...CHANGE, removeRules: [RULE], removeNodes: [NODE] })).to.equal("removal");
    for (const more of [{ addRules: [RULE] }, { removeRules: [RULE] }, { removeNodes: ["digitalocean://2"] }])
      expect(additionsOf({ ...CHANGE, addNodes: [NODE], ...more })).to.deep.equal([]);
  });
});
