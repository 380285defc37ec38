import type { RoutedIPStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import type { Placement } from "../../../src/addresses/placements.js";
import { addressSetOf } from "../../../src/controllers/routed-ip/address/address-set.js";
import {
  abandonedItems,
  deletionChains,
  firewallRemoval,
  needsFinalizer,
  previousFirewallRemovals,
} from "../../../src/controllers/routed-ip/deletion.js";
import type { FirewallPlan } from "../../../src/controllers/routed-ip/firewall/plan.js";
import type { FirewallSnapshot } from "../../../src/controllers/routed-ip/firewall/snapshot.js";
import { electionOf } from "../../../src/controllers/routed-ip/node-election.js";
import type { Snapshot } from "../../../src/controllers/routed-ip/snapshot.js";
import {
  type Block,
  blocksOf,
  type Decision,
  isCreating,
  type StepName,
} from "../../../src/controllers/routed-ip/update/steps.js";
import { FOREIGN } from "./model-cluster.js";
import { ModelWorld } from "./model-world.js";

const [N1, N2] = ["digitalocean://n1", "digitalocean://n2"];
const PROBLEM = { reason: "Unauthorized", message: "no" } as const;
const NOTHING: FirewallPlan = {
  ...{
    addRules: [],
    freeRules: [],
    replacedRules: [],
    addNodes: [],
    removeRules: [],
    removeNodes: [],
    recorded: { rules: [], nodes: [] },
  },
};

/** Two nodes that may have the address; n2 is the younger. */
function snapshot(change: Partial<Snapshot> = {}): Snapshot {
  const made = new ModelWorld();
  for (const name of ["n1", "n2"]) made.addNode(name);
  made.addService("web", [443]);
  made.serve("web", "n1", "n2");
  made.addFirewall();
  made.addRouted("a");
  const altered = { ...made.snapshot("a"), ...change };
  return { ...altered, set: addressSetOf(altered) };
}

const withStatus = (status: RoutedIPStatus): Partial<Snapshot> => ({ routed: { ...snapshot().routed, status } });

describe("the election of a node for a RoutedIP", () => {
  const elect = (change: Partial<Snapshot> = {}, placement?: Partial<Placement>, region = "") => {
    const { shared } = electionOf(snapshot(change), placement as Placement | undefined, {
      wants: 2,
      missing: 0,
      groups: [{ region, probed: false, wants: 2, missing: 0 }],
    });
    return shared.map(({ machine }) => machine);
  };
  const base = snapshot();
  const candidates = (name: string, more: object) =>
    base.candidates.map((node) => (node.name === name ? { ...node, ...more } : node));

  it("takes the youngest first, and the holder not again", () => {
    expect(elect()).to.deep.equal([N2, N1]);
    expect(elect({}, { holder: N2 })).to.deep.equal([N1]);
  });

  it("leaves out nodes that have failed lately, are promised, are being given an address, or are elsewhere", () => {
    const memory = { ...base.memory, nodeRetryAt: new Map([[N2, base.now + 1000]]) };
    expect(elect({ memory })).to.deep.equal([N1]);
    const other = { kind: "RoutedIP", namespace: "default", name: "other", uid: "other" } as const;
    const reservedFor = (machine: string) => (machine === N2 ? other : undefined);
    expect(elect({ inventory: { ...base.inventory, reservedFor } as Snapshot["inventory"] })).to.deep.equal([N1]);
    expect(elect({ otherCreations: [{ resource: other, node: N2 }] })).to.deep.equal([N1]);
    const pendingCreation = { startedAt: "", provider: "digitalocean", family: "IPv4", providerID: N2 } as const;
    expect(elect(withStatus({ pendingCreation }))).to.deep.equal([N1]);
    const far = { candidates: candidates("n2", { labels: { "topology.kubernetes.io/region": "far" } }) };
    expect(elect(far, undefined, "near")).to.deep.equal([N1]);
  });

  it("takes last those that are about to leave, and those that the firewall would isolate", () => {
    expect(elect({ candidates: candidates("n2", { leaving: true }) })).to.deep.equal([N1, N2]);
    const facts = { id: "fw", name: "ingress", rules: [], nodes: [], pending: false };
    const covered = new Map([
      [N1, ["base"]],
      [N2, []],
    ]);
    const firewall: FirewallSnapshot = { name: "ingress", facts, coveredBy: covered, others: [] };
    expect(elect({ firewall })).to.deep.equal([N1, N2]);
    expect(
      elect({ firewall, candidates: candidates("n1", { leaving: true }) }),
      "to be isolated is worse",
    ).to.deep.equal([...[N1, N2]]);
  });

  it("takes those that the firewall refused after those that are about to leave, the last one that it refused last", () => {
    const refusal = (failedAt: number) => ({ problem: PROBLEM, failedAt, retryAt: failedAt, waits: false });
    const facts = { id: "fw", name: "ingress", rules: [FOREIGN], nodes: [], pending: false };
    const firewall = (refused: FirewallSnapshot["refused"], nodes: readonly string[] = []): FirewallSnapshot => {
      return {
        name: "ingress",
        facts: { ...facts, nodes },
        coveredBy: new Map(),
        others: [],
        ...(refused && { refused }),
      };
    };
    const one = new Map([[N2, refusal(2)]]);
    expect(elect({ firewall: firewall(one), candidates: candidates("n1", { leaving: true }) })).to.deep.equal([N1, N2]);
    const both = new Map([...one, [N1, refusal(1)]]);
    expect(elect({ firewall: firewall(both) })).to.deep.equal([N1, N2]);
    expect(elect({ firewall: firewall(one, [N2]) }), "it is in it all the same").to.deep.equal([N2, N1]);
  });
});

describe("what holds up the steps of a RoutedIP", () => {
  const seen: FirewallSnapshot = { name: "ingress", facts: "unknown", coveredBy: new Map(), others: [] };
  const there = { ...seen, facts: { id: "fw", name: "ingress", rules: [FOREIGN], nodes: [], pending: false } };
  const blocks = (firewall: FirewallSnapshot, plan: Partial<FirewallPlan> = {}, certainty?: Placement["certainty"]) => {
    const decision = {
      firewall: { ...NOTHING, ...plan },
      placement: certainty && { certainty },
    } as unknown as Decision;
    return [...blocksOf(snapshot({ firewall }), decision)];
  };

  it("is a move under way, a firewall that is not known, is the former one or fails, and what can't be added", () => {
    const rows: readonly (readonly [ReturnType<typeof blocks>, readonly (readonly [StepName, Block])[]])[] = [
      [blocks(there), []],
      [blocks(there, {}, "moving"), [["assign", "pending"]]],
      [blocks(seen), [["find-firewall", "pending"]]],
      [blocks({ ...there, previous: true }), [["find-firewall", "pending"]]],
      [blocks({ ...there, failure: PROBLEM }), [["find-firewall", PROBLEM]]],
      [blocks(there, { rulesProblem: PROBLEM }), [["add-rules", PROBLEM]]],
      [blocks(there, { nodeProblem: PROBLEM }), [["add-node", PROBLEM]]],
      [blocks(there, { read: [N1] }), [["add-node", "pending"]]],
    ];
    for (const [found, expected] of rows) expect(found).to.deep.equal(expected);
  });

  it("does not hold up what settles a creation of earlier", () => {
    expect(isCreating({ chain: [] })).to.equal(false);
    expect(isCreating({ chain: [{ do: "forget-creation" }] } as unknown as Decision["creation"])).to.equal(false);
    expect(isCreating({ chain: [{ do: "create-address" }] } as unknown as Decision["creation"])).to.equal(true);
  });
});

describe("the finalizer of a RoutedIP", () => {
  const pendingCreation = { startedAt: "", provider: "digitalocean", family: "IPv4" } as const;
  const needs = (status: RoutedIPStatus, spec: object = {}, reclaimPolicy: "Delete" | "Retain" = "Delete") => {
    const { routed, resolvedClass } = snapshot();
    if (resolvedClass === undefined) throw new Error("no terms");
    const changed = { ...routed, status, spec: { ...routed.spec, ...spec } };
    return needsFinalizer(snapshot({ routed: changed, resolvedClass: { ...resolvedClass, reclaimPolicy } }), false);
  };

  it("is there for what is to be cleaned up one day: records, an own address, rules, nodes, a taint", () => {
    expect(needs({})).to.equal(false);
    expect(needs({}, { dnsRecordSet: { zone: "example.com", recordName: "a", deletionPolicy: "Delete" } })).to.equal(
      true,
    );
    expect(needs({}, { dnsRecordSet: { zone: "example.com", recordName: "a", deletionPolicy: "Retain" } })).to.equal(
      false,
    );
    expect(needs({ pendingCreation })).to.equal(true);
    expect(needs({ pendingCreation }, {}, "Retain")).to.equal(false);
    expect(needs({ created: true })).to.equal(true);
    expect(needs({ created: true }, {}, "Retain"), "for which namespace it was created has to be recorded").to.equal(
      true,
    );
    const rule = { protocol: "tcp", ports: "443", sources: [], phase: "present" } as const;
    const firewall = { name: "ingress", nodes: [] };
    const traces: readonly RoutedIPStatus[] = [
      ...[{ assignedNode: "n1" }, { providerID: N1 }, { firewall }, { firewallRules: [rule] }],
      { previousFirewalls: [{ name: "old", rules: [], nodes: [] }] },
    ];
    for (const status of traces) expect(needs(status), JSON.stringify(status)).to.equal(true);
  });

  it("is what a cleanup is for: without it nothing is done", () => {
    expect(deletionChains(snapshot(), [], NOTHING)).to.deep.equal([]);
  });
});

describe("the cleanup of a firewall", () => {
  const rule = { protocol: "tcp", ports: "443", sources: ["0.0.0.0/0", "::/0"], phase: "present" } as const;
  const facts = (nodes: readonly string[] = [N1]) => {
    const { phase: _phase, ...rest } = rule;
    return { id: "fw", name: "ingress", rules: [{ ...rest, otherSources: false }], nodes, pending: false };
  };
  const seen: FirewallSnapshot = { name: "ingress", facts: facts(), coveredBy: new Map(), others: [] };
  const traces = withStatus({ firewall: { name: "ingress", nodes: [N1] }, firewallRules: [rule] });
  const plan: FirewallPlan = { ...NOTHING, removeRules: facts().rules, removeNodes: [N1] };
  const does = (change: Partial<Snapshot>, made = plan) =>
    firewallRemoval(snapshot({ ...traces, ...change }), made).map((action) =>
      action.do === "change-firewall"
        ? `rules ${action.change.removeRules.length} nodes ${action.change.removeNodes.length}`
        : action.do,
    );

  it("is on record first, then takes the rules, then the nodes", () => {
    expect(does({ firewall: seen })).to.deep.equal(["record-firewall", "rules 1 nodes 0", "rules 0 nodes 1"]);
    expect(does({ firewall: { ...seen, facts: "missing" } })).to.deep.equal(["record-firewall"]);
  });

  it("reads one that is not known, asks nothing of one that fails, or where nothing of ours can be", () => {
    expect(does({ firewall: { ...seen, facts: "unknown" } })).to.deep.equal(["read-firewall"]);
    expect(does({ firewall: seen }, { ...plan, read: [] })).to.deep.equal(["read-firewall"]);
    expect(does({ firewall: { ...seen, failure: PROBLEM } })).to.deep.equal([]);
    expect(does({ firewall: seen, ...withStatus({}) })).to.deep.equal([]);
  });

  const previous = (status: object, more: Partial<FirewallSnapshot> = {}) =>
    snapshot({
      ...withStatus({ previousFirewalls: [{ name: "old", rules: [rule], nodes: [N1], ...status }] }),
      previousFirewallStates: [{ ...seen, name: "old", facts: { ...facts(), name: "old" }, previous: true, ...more }],
    });

  it("of a former one goes off the record when nothing of ours is left in it", () => {
    const sequences = (made: Snapshot) =>
      previousFirewallRemovals(made).map((sequence) => sequence.map((action) => action.do));
    expect(sequences(previous({}))).to.deep.equal([["change-firewall", "change-firewall"]]);
    const empty = { id: "fw", name: "old", rules: [FOREIGN], nodes: [], pending: false };
    expect(sequences(previous({}, { facts: empty }))).to.deep.equal([["record-firewall"]]);
    expect(sequences(previous({}, { facts: "unknown" }))).to.deep.equal([["read-firewall"]]);
    expect(sequences(previous({}, { failure: PROBLEM }))).to.deep.equal([[]]);
  });

  it("leaves what is in the present one and in former ones, but no rule that was there before", () => {
    const left = (made: Snapshot, found?: FirewallPlan) => abandonedItems(made, [], found);
    const present = { ...traces, firewall: seen };
    expect(left(snapshot(present), plan)).to.deep.equal([
      "rule tcp 443 in firewall ingress",
      `${N1} in firewall ingress`,
    ]);
    const failing = { firewall: { ...seen, failure: PROBLEM } };
    const own = { ...rule, preexisting: true };
    const before = withStatus({ firewall: { name: "ingress", nodes: [] }, firewallRules: [own] });
    expect(left(snapshot({ ...before, ...failing }), NOTHING)).to.deep.equal([]);
    expect(left(previous({}))).to.include.members(["rule tcp 443 in firewall old", `${N1} in firewall old`]);
    expect(left(previous({ rules: [own], nodes: [] }, { failure: PROBLEM }))).to.deep.equal([]);
  });

  it("names the address for which no action is known", () => {
    const { resolvedClass: _terms, ...orphaned } = snapshot(withStatus({ created: true, routedIP: "192.0.2.1" }));
    expect(abandonedItems(orphaned, [], NOTHING).join()).to.contain("192.0.2.1, whose issuer cannot be found");
  });
});
