import { expect } from "chai";
import { describe, it } from "mocha";
import { isEmptyChange, overLimit, ruleKey } from "../../src/providers/firewall-changes.js";
import type { FirewallFacts, FirewallRuleFacts } from "../../src/providers/types.js";

const NAMED = { id: "1", name: "web" };
const LIMITS = { rulesPerFirewall: 3, nodesPerFirewall: 2 };

describe("a change of a firewall", () => {
  it("is empty where no part of it has anything", () => {
    const parts = { addRules: [], addNodes: [], removeRules: [], removeNodes: [] };
    expect(isEmptyChange({ ...NAMED, ...parts })).to.equal(true);
    for (const part of ["addNodes", "removeNodes"]) {
      expect(isEmptyChange({ ...NAMED, ...parts, [part]: ["a"] }), part).to.equal(false);
    }
    for (const part of ["addRules", "removeRules"]) {
      expect(isEmptyChange({ ...NAMED, ...parts, [part]: [rule("443")] }), part).to.equal(false);
    }
  });

  it("takes a rule for the same one whatever the order of its sources, and not where it has others", () => {
    const one = { ...rule("443"), sources: ["::/0", "0.0.0.0/0"] };
    expect(ruleKey(one)).to.equal(ruleKey({ ...one, sources: ["0.0.0.0/0", "::/0"] }));
    expect(ruleKey(one)).not.to.equal(ruleKey({ ...one, otherSources: true }));
  });

  it("counts rules and nodes as they are half-way, and says what is too many", () => {
    const current = firewall([rule("1"), rule("2"), rule("3")], ["a", "b"]);
    const change = { ...NAMED, addRules: [], addNodes: [], removeRules: [rule("1")], removeNodes: ["a"] };
    expect(overLimit(current, { ...change, addRules: [rule("4")] }, LIMITS)).to.match(/4 rules, at most 3/);
    expect(overLimit(current, { ...change, addNodes: ["c"] }, LIMITS)).to.match(/3 nodes, at most 2/);
    expect(overLimit(current, change, LIMITS)).to.equal(undefined);
  });
});

function firewall(rules: readonly FirewallRuleFacts[], nodes: readonly string[]): FirewallFacts {
  return { ...NAMED, rules, nodes, pending: false };
}

function rule(ports: string): FirewallRuleFacts {
  return { protocol: "tcp", ports, sources: ["0.0.0.0/0"], otherSources: false };
}
