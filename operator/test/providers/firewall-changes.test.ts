import { expect } from "chai";
import { describe, it } from "mocha";
import { isEmptyChange, overLimit, planFirewallChange } from "../../src/providers/firewall-changes.js";
import type { FirewallFacts, FirewallRuleFacts } from "../../src/providers/types.js";

const LIMITS = { rulesPerFirewall: 3, nodesPerFirewall: 2 };

describe("a plan of firewall changes", () => {
  it("adds what is missing, removes only what was ours", () => {
    const current = firewall([rule("25"), rule("80")], ["a", "b"]);
    const wish = { rules: [rule("443")], ourRules: [rule("80")], nodes: ["c"], ourNodes: ["a"] };

    expect(planFirewallChange(current, wish)).to.deep.equal({
      id: "1",
      name: "web",
      addRules: [rule("443")],
      addNodes: ["c"],
      removeRules: [rule("80")],
      removeNodes: ["a"],
    });
  });

  it("has nothing to do where all is there, whatever the order of the sources", () => {
    const seen = { ...rule("443"), sources: ["::/0", "0.0.0.0/0"] };
    const change = planFirewallChange(firewall([seen], ["a"]), {
      rules: [{ ...rule("443"), sources: ["0.0.0.0/0", "::/0"] }],
      ourRules: [],
      nodes: ["a"],
      ourNodes: ["gone"],
    });

    expect(isEmptyChange(change)).to.equal(true);
  });

  it("does not take a rule with other sources for ours", () => {
    const theirs = { ...rule("443"), otherSources: true };

    const wish = { rules: [], ourRules: [rule("443")], nodes: [], ourNodes: [] };
    expect(planFirewallChange(firewall([theirs], []), wish).removeRules).to.deep.equal([]);
  });

  it("counts rules and nodes as they are half-way, and says what is too many", () => {
    const current = firewall([rule("1"), rule("2"), rule("3")], ["a", "b"]);
    const swap = { rules: [rule("4")], ourRules: [rule("1")], nodes: ["a", "b"], ourNodes: [] };

    expect(overLimit(current, planFirewallChange(current, swap), LIMITS)).to.match(/4 rules, at most 3/);
    const more = { rules: [], ourRules: [], nodes: ["c"], ourNodes: [] };
    expect(overLimit(current, planFirewallChange(current, more), LIMITS)).to.match(/3 nodes, at most 2/);
    const same = { rules: [rule("1")], ourRules: [], nodes: ["a"], ourNodes: [] };
    expect(overLimit(current, planFirewallChange(current, same), LIMITS)).to.equal(undefined);
  });
});

function firewall(rules: readonly FirewallRuleFacts[], nodes: readonly string[]): FirewallFacts {
  return { id: "1", name: "web", rules, nodes, pending: false };
}

function rule(ports: string): FirewallRuleFacts {
  return { protocol: "tcp", ports, sources: ["0.0.0.0/0"], otherSources: false };
}
