import type { FirewallRule } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { opensSafely } from "../../../../src/controllers/routed-ip/firewall/place-machine.js";
import { planFirewall } from "../../../../src/controllers/routed-ip/firewall/plan.js";
import type { DesiredFirewall, FirewallSnapshot } from "../../../../src/controllers/routed-ip/firewall/snapshot.js";
import { ruleKey } from "../../../../src/providers/diff.js";
import type { FirewallFacts, FirewallRuleFacts } from "../../../../src/providers/firewall-types.js";
import type { GroupView } from "../../../../src/routing/firewalls/additional-firewalls.js";
import type { Recorded } from "../../../../src/routing/firewalls/firewall-shares.js";
import { FOREIGN } from "../model-cluster.js";
import { A, B, facts, firewall, NOTHING, planFor as plan, ports, record, rule } from "./plan-rig.js";

describe("the firewall of a RoutedIP", () => {
  it("is read first, with what covers the node where that is not known", () => {
    expect(plan(firewall("unknown")).read).to.deep.equal([]);
    expect(plan(firewall("unknown", { coveredBy: new Map() })).read).to.deep.equal([A]);
    expect(plan(firewall("missing", { coveredBy: new Map() })).read).to.deep.equal([A]);
    expect(plan(firewall(facts([rule(443)]), { coveredBy: new Map() }), {}, { rules: [record(443)], nodes: [] }))
      .to.have.property("read")
      .that.deep.equals([A]);
  });

  it("keeps what it knows while it is read again", () => {
    const seen = facts([rule(443)], [A]);
    expect(plan(firewall(seen)).reread).to.equal(undefined);
    const due = plan(firewall(seen, { due: true }));
    expect(due).to.deep.include({ reread: [], addRules: [], addNodes: [] });
    expect(due.read).to.equal(undefined);
    expect(plan(firewall("unknown", { due: true })).reread).to.equal(undefined);
  });

  it("gets again what others have removed", () => {
    const taken = new Set([A, B, ruleKey(rule(443))]);
    const restored = plan(firewall(facts([]), { taken }), { rules: [rule(443), rule(80)] });
    expect(restored).to.deep.include({ restoredRules: [rule(443)], restoredNodes: [A] });
    expect(plan(firewall(facts([])))).to.deep.include({ restoredRules: [], restoredNodes: [] });
  });

  it("keeps a node on record that may be in it, and removes it when it serves nothing", () => {
    const seen = { ...facts([rule(443)], [A]), mayHave: [B] };
    const recorded = { rules: [record(443)], nodes: [A, B] };
    const { removeNodes, recorded: kept } = plan(firewall(seen), {}, recorded);
    expect([removeNodes, kept.nodes]).to.deep.equal([[B], [A, B]]);
  });

  it("is made when there is none, a rule to add and a node that may join it; a former one never", () => {
    expect(plan(firewall("missing")).create).to.deep.equal({ addRules: [rule(443)], addNodes: [A] });
    const none: readonly FirewallSnapshot[] = [
      firewall("missing", { previous: true }),
      firewall("missing", { coveredBy: new Map([[A, []]]) }),
    ];
    for (const seen of none) expect(plan(seen).create).to.equal(undefined);
    expect(plan(firewall("missing"), { rules: [] }).create).to.equal(undefined);
  });

  it("gets no more rules and nodes than it can have, and says so", () => {
    const capabilities = { rulesPerFirewall: 1, nodesPerFirewall: 1, reserved: () => false };
    const full = plan(firewall(facts([FOREIGN], [B]), { capabilities }));
    expect([full.rulesProblem?.reason, full.nodeProblem?.reason]).to.deep.equal(["FirewallFull", "FirewallFull"]);
    expect([full.addRules, full.addNodes]).to.deep.equal([[], []]);
    const enough = plan(firewall(facts([rule(443)], [A]), { capabilities }));
    expect([enough.rulesProblem, enough.nodeProblem]).to.deep.equal([undefined, undefined]);
  });

  it("is not made with more rules than it can have, those for outgoing traffic included", () => {
    const most = (rulesPerFirewall: number) => {
      const capabilities = { rulesPerFirewall, createdOutboundRules: 3, nodesPerFirewall: 1, reserved: () => false };
      return plan(firewall("missing", { capabilities }));
    };
    expect(most(4).create).to.deep.equal({ addRules: [rule(443)], addNodes: [A] });
    expect([most(3).create, most(3).recorded]).to.deep.equal([undefined, { rules: [], nodes: [] }]);
    expect(most(3).rulesProblem?.reason).to.equal("FirewallFull");
    expect(most(3).rulesProblem?.message)
      .to.contain("4 inbound and outbound rules, at most 3 are possible")
      .and.not.to.contain("not the operator's");
  });

  it("loses a machine when it is full that serves none of those that have it on record, and no other one", () => {
    const capabilities = { rulesPerFirewall: 50, nodesPerFirewall: 1, reserved: () => false };
    const [idle, own] = [new Set([B]), { rules: [record(443)], nodes: [B] }];
    const full = (others: readonly Recorded[], more = idle) =>
      plan(firewall(facts([rule(443)], [B]), { capabilities, others, idle: more }), {}, own);
    expect(full([])).to.deep.include({ makeRoom: [B], addNodes: [A] });
    expect(full([{ rules: [], nodes: [B], idle }])).to.deep.include({ makeRoom: [B], addNodes: [A] });
    expect(full([{ rules: [], nodes: [B] }]).nodeProblem?.reason, "it serves another one").to.equal("FirewallFull");
    expect(full([], new Set()).nodeProblem?.reason, "it serves still").to.equal("FirewallFull");
  });

  it("takes more rules while more machines are behind it and the additional ones than one takes", () => {
    const capabilities = { rulesPerFirewall: 2, nodesPerFirewall: 1, reserved: () => false };
    const group = { room: 0, additional: [], outOfStep: false };
    const rules = (seen: FirewallFacts) => plan(firewall(seen, { capabilities, group }));
    expect(ports(rules(facts([], [A, B])).addRules)).to.equal("443");
    expect(rules({ ...facts([], [A, B]), outboundRules: 2 }).rulesProblem?.message).to.contain(
      "3 inbound and outbound",
    );
  });

  describe("that is full of machines that serve", () => {
    const capabilities = { rulesPerFirewall: 50, nodesPerFirewall: 1, reserved: () => false };
    const GROUP = { room: 0, additional: [], outOfStep: false, next: "ingress-2" };
    const failure = { reason: "FirewallFull", message: "answer 403" } as const;
    const full = (group: Partial<GroupView>, desired: Partial<DesiredFirewall> = {}) =>
      plan(firewall(facts([rule(443)], [B]), { capabilities, group: { ...GROUP, ...group } }), desired);

    it("gets an additional one for the machine", () => {
      expect(full({})).to.deep.include({ extend: "ingress-2", addNodes: [A] });
      const { extend, addNodes } = full({ room: 1 });
      expect([extend, addNodes], "there is room in one").to.deep.equal([undefined, [A]]);
    });

    it("says that the operator may not create one, and when it tries again", () => {
      const { nodeProblem, retryAt, addNodes } = full({ failure, retryAt: 7 });
      expect([nodeProblem?.reason, retryAt, addNodes]).to.deep.equal(["FirewallFull", 7, []]);
      expect(nodeProblem?.message).to.contain('the additional firewall "ingress-2": answer 403');
    });

    it("says that there may be no more", () => {
      const { next: _next, ...last } = GROUP;
      const made = plan(firewall(facts([rule(443)], [B]), { capabilities, group: last }));
      expect([made.nodeProblem?.reason, made.addNodes]).to.deep.equal(["FirewallFull", []]);
    });

    it("gets none for a machine that needs no rule", () => {
      const { extend, addNodes, nodeProblem } = full({}, { rules: [] });
      expect([extend, addNodes, nodeProblem]).to.deep.equal([undefined, [], undefined]);
    });

    it("brings additional ones in step that have other rules", () => {
      expect(full({ outOfStep: true }, { target: B }).mirror).to.equal(true);
      expect(full({}, { target: B }).mirror).to.equal(undefined);
    });
  });

  it("keeps what a rule is until it is gone: being added, there, being removed", () => {
    const removing = plan(firewall(facts([rule(443), rule(80)], [A])), {}, { rules: [record(80)], nodes: [A] });
    expect(ports(removing.removeRules)).to.equal("80");
    expect(removing.recorded.rules.map((each) => `${each.ports} ${each.phase}`)).to.deep.equal([
      ...["443 present", "80 removing"],
    ]);
  });

  it("keeps the rules and nodes of other RoutedIPs, but not those that they give up", () => {
    const seen = facts([rule(443), rule(80)], [A, B]);
    const ours = { rules: [record(443), record(80)], nodes: [A, B] };
    const others = (phase: FirewallRule["phase"], nodes: readonly string[]) => [
      { rules: [record(80, { phase })], nodes },
    ];
    const kept = plan(firewall(seen, { others: others("present", [B]) }), {}, ours);
    expect([ports(kept.removeRules), kept.removeNodes]).to.deep.equal(["", []]);
    const left = plan(firewall(seen, { others: others("removing", []) }), {}, ours);
    expect([ports(left.removeRules), left.removeNodes]).to.deep.equal(["80", [B]]);
  });

  it("takes over a node that another RoutedIP has put there, target or holder, so that the last one to leave removes it", () => {
    const others = [{ rules: [], nodes: [A] }];
    const nodes = (desired: Partial<DesiredFirewall>, seen = facts([FOREIGN], [A])) =>
      plan(firewall(seen, { others }), desired).recorded.nodes;
    expect(nodes({})).to.deep.equal([A]);
    expect(
      planFirewall(firewall(facts([FOREIGN], [A]), { others }), { rules: [], holder: A }, NOTHING).recorded.nodes,
    ).to.deep.equal([A]);
    expect(
      planFirewall(firewall(facts([FOREIGN], [A])), { rules: [], holder: A }, NOTHING).recorded.nodes,
    ).to.deep.equal([]);
    const target = planFirewall(firewall(facts([FOREIGN]), { others }), { rules: [], holder: A }, NOTHING);
    expect(target.recorded.nodes, "it is not there").to.deep.equal([]);
  });

  it("calls a rule that was there before a person's, but not one that another RoutedIP has added", () => {
    const preexisting = (others: FirewallSnapshot["others"]) =>
      plan(firewall(facts([rule(443)], [A]), { others })).recorded.rules.map((each) => each.preexisting === true);
    expect(preexisting([])).to.deep.equal([true]);
    expect(preexisting([{ rules: [record(443)], nodes: [] }])).to.deep.equal([false]);
    expect(preexisting([{ rules: [record(443, { preexisting: true })], nodes: [] }])).to.deep.equal([true]);
  });

  it("closes no port of a node: one that no other firewall covers joins only a firewall with rules of a person", () => {
    const bare = new Map([[A, []]]);
    const joins = (
      rules: readonly FirewallRuleFacts[],
      others: FirewallSnapshot["others"] = [],
      own: Recorded = NOTHING,
    ) => plan(firewall(facts(rules), { coveredBy: bare, others }), {}, own).addNodes.length === 1;
    expect(joins([FOREIGN])).to.equal(true);
    expect(joins([])).to.equal(false);
    expect(joins([rule(443)], [], { rules: [record(443)], nodes: [] }), "ours").to.equal(false);
    expect(joins([rule(443)], [{ rules: [record(443)], nodes: [] }]), "of another RoutedIP").to.equal(false);
    const before = { rules: [record(443, { preexisting: true })], nodes: [] };
    expect(joins([rule(443)], [], before), "it was there before").to.equal(true);
  });

  it("says of a node that no firewall covers whether its machine is gone", () => {
    const bare = { coveredBy: new Map([[A, []]]) };
    for (const seen of [facts([]), "missing"] as const) {
      expect(plan(firewall(seen, bare)).nodeProblem?.reason).to.equal("WouldIsolateNode");
      const { nodeProblem } = plan(firewall(seen, { ...bare, gone: new Set([A]) }), { node: "node-3" });
      expect(nodeProblem?.reason).to.equal("MachineNotFound");
      expect(nodeProblem?.message).to.contain(A).and.to.contain("node-3");
    }
  });

  it("waits for a machine that it refused until the next try is due, and says so unless no rule needs the machine", () => {
    const problem = { reason: "Invalid", message: "no" } as const;
    const refused = (waits: boolean) => ({ refused: new Map([[A, { problem, failedAt: 1, retryAt: 2, waits }]]) });
    for (const seen of [facts([FOREIGN]), "missing"] as const) {
      const { nodeProblem, retryAt, addNodes, create } = plan(firewall(seen, refused(true)), { node: "node-3" });
      expect(nodeProblem?.message).to.equal("node node-3: no");
      expect({ retryAt, addNodes, create }).to.deep.equal({ retryAt: 2, addNodes: [], create: undefined });
    }
    expect(plan(firewall(facts([FOREIGN]), refused(false))).addNodes).to.deep.equal([A]);
    const optional = plan(firewall(facts([FOREIGN]), refused(true)), { rules: [] });
    expect([optional.nodeProblem, optional.addNodes]).to.deep.equal([undefined, []]);
  });

  it("opens safely if the node is in it, or is covered elsewhere, or the rules are a person's, or that is unknown", () => {
    const bare = new Map([[A, []]]);
    const safe = (seen: FirewallSnapshot["facts"], coveredBy: FirewallSnapshot["coveredBy"] = bare) =>
      opensSafely(firewall(seen, { coveredBy }), A, []);
    expect(safe("unknown")).to.equal(true);
    expect(safe("missing")).to.equal(false);
    expect(safe("missing", new Map([[A, ["base"]]]))).to.equal(true);
    expect(safe(facts([]))).to.equal(false);
    expect(safe(facts([], [A]))).to.equal(true);
    expect(safe(facts([FOREIGN]))).to.equal(true);
  });
});
