import type { FirewallRule } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { FirewallShares, NO_RECORD } from "../../src/routing/firewall-shares.js";
import { ruleFacts } from "../../src/routing/ports.js";

describe("what RoutedIPs have on record in a firewall", () => {
  const RULE: FirewallRule = { protocol: "tcp", ports: "443", sources: ["0.0.0.0/0"], phase: "present" };
  const FACTS = { id: "1", name: "f", rules: [ruleFacts(RULE)], nodes: [], pending: false };
  const recorded = (change: Partial<FirewallRule> = {}) => ({ rules: [{ ...RULE, ...change }], nodes: [] });

  it("strands no rule: of two that planned to leave at once, the second one has to plan again", () => {
    const shares = new FirewallShares();
    shares.set("a", recorded());
    shares.set("b", recorded());
    expect(shares.strands(FACTS, "a", NO_RECORD), "b has it").to.equal(false);
    shares.set("a", NO_RECORD);
    expect(shares.strands(FACTS, "b", NO_RECORD)).to.equal(true);
    expect(shares.strands(FACTS, "b", recorded({ phase: "removing" })), "about to remove it").to.equal(false);
    shares.set("b", recorded({ phase: "removing" }));
    expect(shares.strands(FACTS, "b", NO_RECORD), "after its removal").to.equal(false);
  });

  it("leaves rules that were there before, and those that are gone", () => {
    const shares = new FirewallShares();
    shares.set("a", recorded({ preexisting: true }));
    expect(shares.strands(FACTS, "a", NO_RECORD)).to.equal(false);
    shares.set("a", recorded());
    expect(shares.strands({ ...FACTS, rules: [] }, "a", NO_RECORD)).to.equal(false);
  });
});
