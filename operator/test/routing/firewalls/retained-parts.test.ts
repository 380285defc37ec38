import { type FirewallRule, type PreviousFirewall, routedIPIssuerKind, validateValue } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { partsOf, withParts } from "../../../src/routing/firewalls/retained-parts.js";

const OTHER: PreviousFirewall = { name: "other", rules: [], nodes: ["o1"] };

function ruleOf(port: number): FirewallRule {
  return { protocol: "tcp", ports: `${port}`, sources: ["0.0.0.0/0"], phase: "present" };
}

/** What many deleted RoutedIPs have left, one after the other. */
function leftBy(count: number, known: readonly PreviousFirewall[] = []): readonly PreviousFirewall[] {
  return Array.from({ length: count }, (_, index) => index).reduce(
    (all, index) => withParts(all, { name: "ingress", rules: [ruleOf(2000 + index)], nodes: [`n${index}`] }) ?? all,
    known,
  );
}

describe("what deleted RoutedIPs have left in firewalls", () => {
  it("stays on record whole, however much it is: further entries of the firewall hold what one entry cannot", () => {
    const left = leftBy(300, [OTHER]);
    expect(left).to.deep.include(OTHER);
    const parts = partsOf(left, "ingress");
    const names = Array.from({ length: 300 }, (_, index) => `n${index}`);
    expect(parts.flatMap(({ nodes }) => nodes)).to.deep.equal(names);
    expect(new Set(parts.flatMap(({ rules }) => rules.map(({ ports }) => ports))).size).to.equal(300);
    expect(left).to.have.length(6);
  });

  it("has no more in an entry than the schema allows", () => {
    const status = { retainedFirewalls: leftBy(300) };
    expect(validateValue(routedIPIssuerKind.status, status, "status")).to.deep.equal([]);
  });

  it("is on record once, in whichever entry", () => {
    const left = leftBy(100);
    for (const index of [0, 70, 99]) {
      expect(withParts(left, { name: "ingress", rules: [ruleOf(2000 + index)], nodes: [`n${index}`] })).to.equal(
        undefined,
      );
    }
  });
});
