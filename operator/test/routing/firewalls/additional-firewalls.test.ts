import { expect } from "chai";
import { describe, it } from "mocha";
import type { FirewallFacts } from "../../../src/providers/firewall-types.js";
import {
  changesFor,
  isOutOfStep,
  nextName,
  roomIn,
  wholeOf,
} from "../../../src/routing/firewalls/additional-firewalls.js";

const LIMIT = 2;

function rule(ports: string, otherSources = false) {
  return { protocol: "tcp" as const, ports, sources: ["0.0.0.0/0"], otherSources };
}

function facts(name: string, ports: readonly string[], nodes: readonly string[]): FirewallFacts {
  return { id: name, name, rules: ports.map((each) => rule(each)), nodes, pending: false };
}

const NOTHING = { id: "fw", name: "fw", addRules: [], addNodes: [], removeRules: [], removeNodes: [] };

describe("a firewall and the additional ones", () => {
  const group = { base: facts("fw", ["80"], ["a", "b"]), additional: [facts("fw-2", ["80"], ["c"])] };

  it("are one for a plan: all machines, and the room in all", () => {
    expect(wholeOf(group).nodes).to.deep.equal(["a", "b", "c"]);
    expect([roomIn(group, LIMIT), roomIn({ ...group, additional: [] }, LIMIT)]).to.deep.equal([1, 0]);
    expect(nextName("fw", (name) => ["fw-2", "fw-4"].includes(name))).to.equal("fw-3");
  });

  it("have room for as many rules as the one with the most outbound ones", () => {
    const additional = [{ ...facts("fw-2", ["80"], []), outboundRules: 3, pending: true }];
    expect(wholeOf({ base: { ...group.base, outboundRules: 1 }, additional })).to.include({
      outboundRules: 3,
      pending: true,
    });
  });

  it("changes the rules of all, and puts a machine where there is room", () => {
    const change = {
      ...NOTHING,
      addRules: [rule("443")],
      removeRules: [rule("80")],
      addNodes: ["d"],
      removeNodes: ["a"],
    };
    const made = changesFor(group, change, LIMIT).changes.map((each) => [
      each.id,
      each.addRules.map(({ ports }) => ports).join(),
      each.removeRules.map(({ ports }) => ports).join(),
      each.addNodes.join(),
      each.removeNodes.join(),
    ]);
    expect(made).to.deep.equal([
      ["fw", "443", "80", "", "a"],
      ["fw-2", "443", "80", "d", ""],
    ]);
    expect(changesFor(group, NOTHING, LIMIT)).to.deep.equal({ changes: [], homeless: [] });
    expect(changesFor(group, { ...NOTHING, addNodes: ["d", "e"] }, LIMIT).homeless).to.deep.equal(["e"]);
  });

  it("is put in step again where a person has changed an additional one", () => {
    const edited = { ...group, additional: [facts("fw-2", ["22"], ["c"])] };
    expect([isOutOfStep(group), isOutOfStep(edited)]).to.deep.equal([false, true]);
    const [change] = changesFor(edited, NOTHING, LIMIT).changes;
    expect([change?.id, change?.addRules, change?.removeRules]).to.deep.equal(["fw-2", [rule("80")], [rule("22")]]);
  });

  it("leaves out rules whose sources only the provider knows", () => {
    const base = { ...group.base, rules: [rule("80"), rule("9", true)] };
    expect(isOutOfStep({ ...group, base })).to.equal(false);
  });
});
