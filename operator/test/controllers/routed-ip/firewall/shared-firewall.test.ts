import { expect } from "chai";
import { describe, it } from "mocha";
import {
  abandonedItems,
  firewallRemoval,
  previousFirewallRemovals,
} from "../../../../src/controllers/routed-ip/deletion.js";
import { planFirewall } from "../../../../src/controllers/routed-ip/firewall/plan.js";
import type { FirewallSnapshot } from "../../../../src/controllers/routed-ip/firewall/snapshot.js";
import type { Snapshot } from "../../../../src/controllers/routed-ip/snapshot.js";
import { FIREWALL } from "../model-cluster.js";
import { altered, conditionOf, settled } from "../routed-plans.js";
import { A, B, facts, firewall, NOTHING, planFor, record, rule } from "./plan-rig.js";

const sharedWith = ["flipop.digitalocean.com/in-use.edge"];
const OURS = { rules: [record(443), record(80)], nodes: [A, B] };

describe("the plan of a firewall whose issuer another installation uses, too", () => {
  const seen = facts([rule(443), rule(80)], [A, B]);

  it("removes nothing, and says what stays", () => {
    const alone = planFor(firewall(seen), {}, OURS);
    expect(alone).to.deep.include({ removeRules: [rule(80)], removeNodes: [B] });
    expect(alone).not.to.have.property("held");
    const shared = planFor(firewall(seen, { sharedWith }), {}, OURS);
    expect(shared).to.deep.include({ removeRules: [], freeRules: [], replacedRules: [], removeNodes: [] });
    expect(shared.held).to.deep.equal({ removeRules: [rule(80)], removeNodes: [B] });
    expect(shared.recorded, "it stays ours").to.deep.equal({
      rules: [record(443), record(80, { phase: "removing" })],
      nodes: [A, B],
    });
  });

  it("adds what is needed, and takes no machine out to make room", () => {
    const capabilities = { rulesPerFirewall: 50, nodesPerFirewall: 1, reserved: () => false };
    const full = firewall(facts([], [B]), { capabilities, idle: new Set([B]) });
    const own = { rules: [], nodes: [B] };
    expect(planFor(full, {}, own)).to.deep.include({ makeRoom: [B], addNodes: [A] });
    const shared = planFor({ ...full, sharedWith }, {}, own);
    expect(shared).to.deep.include({ addRules: [rule(443)], addNodes: [] });
    expect(shared.nodeProblem?.reason).to.equal("FirewallFull");
  });
});

describe("a RoutedIP whose firewall another installation may need", () => {
  const N1 = "digitalocean://n1";

  /** The address is on n1, and port 80 is not needed any more. */
  function scene(more: Partial<FirewallSnapshot>): Partial<Snapshot> {
    const { firewall: seen, routed } = settled().snapshot("a");
    if (seen === undefined || typeof seen.facts !== "object") throw new Error("no firewall");
    const rules = [...seen.facts.rules, rule(80)];
    const status = { ...routed.status, firewallRules: [...(routed.status.firewallRules ?? []), record(80)] };
    return { firewall: { ...seen, facts: { ...seen.facts, rules }, ...more }, routed: { ...routed, status } };
  }

  it("is ready, and says what stays open and why", () => {
    const seen = (more: Partial<FirewallSnapshot>) => conditionOf(altered(settled(), scene(more)), "FirewallReady");
    expect(seen({}).message, "it removes the rule").not.to.include("is not needed here");
    const { is, message } = seen({ sharedWith });
    expect(is).to.equal("True/Observed");
    expect(message).to.include(`1 rule of firewall "${FIREWALL}" is not needed here any more`);
  });

  it("hands what it leaves over to the issuer before its record goes", () => {
    const { firewall: seen, routed, ...rest } = { ...settled().snapshot("a"), ...scene({ sharedWith }) };
    if (seen === undefined) throw new Error("no firewall");
    const recorded = { rules: routed.status.firewallRules ?? [], nodes: [N1] };
    const made = planFirewall(seen, { rules: [] }, recorded);
    const snapshot: Snapshot = { ...rest, firewall: seen, routed };
    const retained = { name: FIREWALL, rules: [record(443), record(80)], nodes: [N1] };
    const actions = firewallRemoval(snapshot, made).map(({ why: _why, ...action }) => action);
    expect(actions).to.deep.equal([
      { do: "record-retained", retained: { firewall: retained } },
      { do: "record-firewall", name: FIREWALL, recorded: { rules: [], nodes: [] } },
    ]);
    expect(abandonedItems(snapshot, [], made)).to.include.members([
      `rule tcp 80 in firewall ${FIREWALL}`,
      `${N1} in firewall ${FIREWALL}`,
    ]);
    const nothing = planFirewall(seen, { rules: [] }, NOTHING);
    expect(firewallRemoval(snapshot, nothing).map((action) => action.do)).to.deep.equal(["record-firewall"]);
  });

  it("leaves a former firewall as it is, and hands over what it has there when it is deleted", () => {
    const { routed, ...rest } = settled().snapshot("a");
    const previous = { name: "old", rules: [record(80)], nodes: [N1] };
    const there = { ...firewall(facts([rule(80)], [N1]), { sharedWith, previous: true }), name: "old" };
    const does = (deletionTimestamp?: string) => {
      const metadata = { ...routed.metadata, ...(deletionTimestamp && { deletionTimestamp }) };
      const status = { ...routed.status, previousFirewalls: [previous] };
      const removals = previousFirewallRemovals({
        ...{ ...rest, routed: { ...routed, metadata, status } },
        previousFirewallStates: [there],
      });
      return removals.map((chain) => chain.map(({ why: _why, ...action }) => action));
    };
    expect(does()).to.deep.equal([[]]);
    expect(does("2025-06-01T09:00:00Z")).to.deep.equal([
      [
        { do: "record-retained", retained: { firewall: previous } },
        { do: "record-firewall", name: "old", recorded: { rules: [], nodes: [] }, previous: true },
      ],
    ]);
  });
});

describe("condition FirewallReady before a firewall is known", () => {
  it("says whether the operator is about to read it, or waits for its turn", () => {
    const { firewall: seen } = settled().snapshot("a");
    if (seen === undefined) throw new Error("no firewall");
    const of = (crowded?: true) =>
      conditionOf(
        altered(settled(), { firewall: { ...seen, facts: "unknown", ...(crowded && { crowded }) } }),
        "FirewallReady",
      );
    for (const crowded of [undefined, true] as const) expect(of(crowded).is).to.equal("Unknown/NotObserved");
    expect(of(true).message).to.include("it makes one call to a firewall after the other");
    expect(of().message).not.to.include("after the other");
  });

  it("says so, too, while it is changed", () => {
    const { firewall: seen } = settled().snapshot("a");
    if (seen === undefined || typeof seen.facts !== "object") throw new Error("no firewall");
    const facts = { ...seen.facts, rules: [] };
    const of = (crowded?: true) =>
      conditionOf(altered(settled(), { firewall: { ...seen, facts, ...(crowded && { crowded }) } }), "FirewallReady");
    expect(of(true).message).not.to.equal(of().message);
    expect(of(true).message).to.include("wait");
  });
});
