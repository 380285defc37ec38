import { expect } from "chai";
import { describe, it } from "mocha";
import { partsOf } from "../../../../src/messages/message.js";
import type { FirewallRuleFacts } from "../../../../src/providers/firewall-types.js";
import type { Recorded } from "../../../../src/routing/firewalls/firewall-shares.js";
import { FOREIGN } from "../model-cluster.js";
import { A, facts, firewall, planFor as plan, ports, record, rule } from "./plan-rig.js";

describe("the rules of a RoutedIP's firewall", () => {
  it("say which ports stay closed without room, and which rules of others could be one", () => {
    const capabilities = { rulesPerFirewall: 4, nodesPerFirewall: 10, reserved: () => false };
    const partner = (source: string) => ({ ...rule(8443), sources: [source] });
    const others = [partner("192.0.2.1/32"), partner("192.0.2.2/32")];
    const seen = { ...facts([...others, rule(443)], [A]), outboundRules: 1 };
    const rules = [rule(443), { ...rule(3478), protocol: "udp" as const }];
    const own = { rules: [record(443)], nodes: [A] };
    const { rulesProblem, nodeProblem } = plan(firewall(seen, { capabilities }), { rules }, own);
    expect(nodeProblem).to.equal(undefined);
    const [said, ...fixes] = partsOf(rulesProblem?.message ?? "");
    expect(said).to.equal(
      'firewall "ingress" has no room for 3478/UDP: it would have 5 inbound and outbound rules, at most 4 are possible; 443/TCP stays open; 2 of its inbound rules are not the operator\'s',
    );
    expect(fixes.slice(0, 3)).to.deep.equal([
      "have the owner of the account replace the 2 rules for 8443/TCP by one with all their sources",
      "have the owner of the account remove rules of the firewall that nothing needs",
      "use fewer ports",
    ]);
    expect(fixes[3]).to.match(
      /second issuer with another routedIPFirewallName; .*with routedIP set to its address .*Retain\): otherwise the address changes$/,
    );
    const [alone] = others;
    const single = plan(firewall({ ...seen, rules: alone ? [alone] : [], outboundRules: 2 }, { capabilities }), {
      rules,
    });
    expect(single.rulesProblem?.message)
      .to.contain("1 of its inbound rules is not")
      .and.not.contain("all their sources");
    const none = plan(firewall({ ...seen, rules: [], outboundRules: 3 }, { capabilities }), { rules });
    expect(partsOf(none.rulesProblem?.message ?? "").slice(0, 2)).to.deep.equal([
      'firewall "ingress" has no room for 443/TCP, 3478/UDP: it would have 5 inbound and outbound rules, at most 4 are possible',
      "use fewer ports",
    ]);
  });

  it("say of a protocol without ports only its name", () => {
    const capabilities = { rulesPerFirewall: 1, nodesPerFirewall: 10, reserved: () => false };
    const pings = ["192.0.2.1/32", "192.0.2.2/32"].map((source) => ({
      ...{ protocol: "icmp" as const, ports: "", sources: [source], otherSources: false },
    }));
    const { rulesProblem } = plan(firewall(facts(pings, [A]), { capabilities }));
    expect(rulesProblem?.message).to.contain("replace the 2 rules for ICMP by one");
  });

  it("of a node that the address has yet to leave stay, on record as needed, as far as there is room", () => {
    const own: Recorded = { rules: [record(443)], nodes: [A] };
    const moving = (rulesPerFirewall: number, leaving: boolean) => {
      const capabilities = { rulesPerFirewall, nodesPerFirewall: 10, reserved: () => false };
      const seen = firewall(facts([rule(443)], [A]), { capabilities });
      const desired = { rules: [rule(8443)], ...(leaving ? { leaving: true as const } : {}) };
      const { freeRules, removeRules, recorded } = plan(seen, desired, own);
      const kept = recorded.rules.map((each) => `${each.ports} ${each.phase}`);
      return { gone: [freeRules, removeRules].map(ports), kept };
    };
    expect(moving(10, true)).to.deep.equal({ gone: ["", ""], kept: ["8443 adding", "443 present"] });
    expect(moving(10, false)).to.deep.equal({ gone: ["", "443"], kept: ["8443 adding", "443 removing"] });
    expect(moving(1, true), "no room for both").to.deep.equal({
      gone: ["443", ""],
      kept: ["8443 adding", "443 removing"],
    });
  });

  describe("that get other sources", () => {
    const narrow = (port: number) => ({ ...rule(port), sources: ["198.51.100.0/24"] });
    const own = (...open: readonly number[]): Recorded => ({ rules: open.map((port) => record(port)), nodes: [A] });
    const replaced = (
      most: number,
      seen: readonly FirewallRuleFacts[],
      desired: readonly FirewallRuleFacts[],
      on = own(443),
    ) => {
      const capabilities = { rulesPerFirewall: most, nodesPerFirewall: 10, reserved: () => false };
      const made = plan(firewall(facts(seen, [A]), { capabilities }), { rules: desired }, on);
      const { freeRules, addRules, replacedRules, removeRules, recorded, rulesProblem } = made;
      return {
        steps: [freeRules, addRules, replacedRules, removeRules].map(ports),
        record: recorded.rules.map(
          (each) => `${each.ports} ${each.phase} ${each.sources.length === 1 ? "narrow" : "all"}`,
        ),
        problem: partsOf(rulesProblem?.message ?? "")[0],
      };
    };
    const NOTHING_TO_SAY = "";

    it("close none where both fit: the old rule goes after the new one, in the same step", () => {
      expect(replaced(3, [FOREIGN, rule(443)], [narrow(443)])).to.deep.equal({
        steps: ["", "443", "443", ""],
        record: ["443 adding narrow", "443 removing all"],
        problem: NOTHING_TO_SAY,
      });
    });

    it("are replaced in one step where the firewall is full, after rules that nothing needs", () => {
      expect(replaced(2, [FOREIGN, rule(443)], [narrow(443)])).to.deep.equal({
        steps: ["443", "443", "", ""],
        record: ["443 adding narrow", "443 removing all"],
        problem: NOTHING_TO_SAY,
      });
      expect(
        replaced(3, [FOREIGN, rule(80), rule(443)], [narrow(443)], own(80, 443)).steps,
        "80 goes anyway",
      ).to.deep.equal([...["80", "443", "443", ""]]);
    });

    it("keep each port open, for new clients where that fits, if another port does not fit", () => {
      expect(replaced(2, [FOREIGN, rule(443)], [narrow(443), rule(8443)])).to.deep.equal({
        steps: ["443", "443", "", ""],
        record: ["443 adding narrow", "443 removing all"],
        problem:
          'firewall "ingress" has no room for 8443/TCP: it would have 3 inbound and outbound rules, at most 2 are possible; 1 of its inbound rules is not the operator\'s',
      });
    });

    it("come back first if a former step has closed them", () => {
      const half = { rules: [record(443, { sources: ["198.51.100.0/24"], phase: "adding" })], nodes: [A] };
      expect(replaced(2, [FOREIGN], [rule(80), narrow(443)], half as Recorded).steps).to.deep.equal([
        "",
        "443",
        "",
        "",
      ]);
    });

    it("keep the old rule, and its record, where more rules are there than can be", () => {
      expect(replaced(1, [FOREIGN, rule(443)], [narrow(443)])).to.deep.include({
        steps: ["", "", "", ""],
        record: ["443 present all"],
      });
    });
  });
});
