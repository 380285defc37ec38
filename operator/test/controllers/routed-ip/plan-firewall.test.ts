import { expect } from "chai";
import { describe, it } from "mocha";
import { FIREWALL, FOREIGN } from "./model-cluster.js";
import { ModelWorld } from "./model-world.js";
import { altered, condition, conditionOf, does, IP, settled, world } from "./routed-plans.js";

describe("the firewall in the plan of a RoutedIP", () => {
  it("says in Assigned that no address is created because the firewall would isolate the node", () => {
    const made = new ModelWorld();
    made.addNode("n1");
    made.covered.clear();
    made.addService("web", [443]);
    made.serve("web", "n1");
    made.addRouted("a");
    made.settle();
    const { is, message } = conditionOf(made.plan("a"), "Assigned");
    expect(is, message).to.equal("False/WouldIsolateNode");
    expect(message).to.contain("node n1 is in no firewall now");
    expect(made.addresses.size).to.equal(0);
  });

  it("claims nothing about ports as long as no node gets the address", () => {
    const made = new ModelWorld();
    made.addNode("n1");
    made.addService("web", [443]);
    made.addFirewall();
    made.addRouted("a", { routedIP: IP });
    made.settle();
    const { is, message } = conditionOf(made.plan("a"), "FirewallReady");
    expect(is, message).to.equal("Unknown/NotObserved");
    expect(message).to.contain("no node serves the address or gets it now");
    made.serve("web", "n1");
    made.settle();
    expect(conditionOf(made.plan("a"), "FirewallReady").is).to.equal("True/Observed");
  });

  describe("that is full", () => {
    const OTHERS = Array.from({ length: 9 }, (_, index) => `digitalocean://other${index}`);
    const [N1, N2] = ["digitalocean://n1", "digitalocean://n2"];

    /** The address is on n1, and 9 machines of others are in the firewall with it. */
    function full(): ModelWorld {
      const made = new ModelWorld();
      for (const name of ["n1", "n2"]) made.addNode(name);
      made.addService("web", [443]);
      made.serve("web", "n1");
      made.addFirewall();
      made.addRouted("a", { routedIP: IP });
      made.settle();
      const { rules = [] } = made.firewalls.get(FIREWALL) ?? {};
      made.addFirewall(rules, [...OTHERS, N1]);
      return made;
    }

    it("loses the node that no longer serves before the new one joins", () => {
      const made = full();
      made.serve("web", "n2");
      const names = made.plan("a").steps.map((step) => step.name);
      expect(names).to.deep.equal(["elect", "record", "make-room", "add-node", "assign", "untaint"]);
      made.settle();
      expect(made.holderOf("a")).to.equal("n2");
      expect(made.firewalls.get(FIREWALL)?.nodes).to.deep.equal([...OTHERS, N2]);
    });

    it("keeps the usual order while it has room: the new node joins first", () => {
      const made = full();
      const { rules = [] } = made.firewalls.get(FIREWALL) ?? {};
      made.addFirewall(rules, [...OTHERS.slice(1), N1]);
      made.serve("web", "n2");
      const names = made.plan("a").steps.map((step) => step.name);
      expect(names).to.deep.equal(["elect", "record", "add-node", "assign", "remove-nodes", "untaint"]);
    });

    it("counts the rules of both directions", () => {
      const made = full();
      const facts = made.firewalls.get(FIREWALL);
      if (facts !== undefined) made.firewalls.set(FIREWALL, { ...facts, outboundRules: 48 });
      made.addService("web", [443, 80]);
      expect(conditionOf(made.plan("a"), "FirewallReady").is).to.equal("False/FirewallFull");
      expect(conditionOf(made.plan("a"), "FirewallReady").message).to.contain("51 inbound and outbound rules");
    });

    it("opens none of several new ports that do not all fit", () => {
      const made = full();
      const facts = made.firewalls.get(FIREWALL);
      if (facts !== undefined) made.firewalls.set(FIREWALL, { ...facts, outboundRules: 47 });
      made.addService("web", [443, 80, 81]);
      const { message } = conditionOf(made.plan("a"), "FirewallReady");
      expect(message).to.contain("no room for 80/TCP, 81/TCP: it would have 51 inbound and outbound rules");
    });
  });

  it("reads the firewall before it relies on it, and assigns without it under firewallPostAllow", () => {
    const made = settled();
    made.serve("web", "n2");
    made.firewallKnown = false;
    expect(does(made.plan("a"))).to.deep.equal(["elect: set-taints", "find-firewall: read-firewall"]);
    expect(made.plan("a").goal, "no other resource gets the node meanwhile").to.equal("digitalocean://n2");
    const post = settled({ postAllow: true });
    post.serve("web", "n2");
    post.firewallKnown = false;
    expect(does(post.plan("a"))).to.deep.equal([
      "elect: set-taints",
      "find-firewall: read-firewall",
      "assign: assign",
      "untaint: set-taints",
    ]);
  });

  it("stops what relies on a firewall that can't be read, and nothing else", () => {
    const made = world();
    const { firewall } = made.snapshot("a");
    if (firewall === undefined) throw new Error("no firewall");
    const failure = { reason: "Unauthorized", message: "no" } as const;
    const stopped = altered(made, { firewall: { ...firewall, failure } });
    expect(does(stopped)).to.deep.equal(["arm: add-finalizer", "elect: set-taints"]);
    expect(condition(stopped, "FirewallReady")).to.equal("False/Unauthorized");
  });

  it("reads a firewall that is due again, and calls it ready meanwhile", () => {
    const made = world();
    made.settle();
    const { firewall } = made.snapshot("a");
    if (firewall === undefined) throw new Error("no firewall");
    const due = altered(made, { firewall: { ...firewall, due: true } });
    expect(does(due)).to.deep.equal(["find-firewall: read-firewall"]);
    expect(condition(due, "FirewallReady")).to.equal("True/Observed");
  });

  it("isolates no node by its first firewall", () => {
    const made = world();
    made.firewalls.delete(FIREWALL);
    made.covered.clear();
    made.settle();
    expect(made.firewalls.size).to.equal(0);
    expect(made.holderOf("a")).to.equal(undefined);
    expect(condition(made.plan("a"), "FirewallReady")).to.equal("False/WouldIsolateNode");
    made.addFirewall([]);
    expect(condition(made.plan("a"), "FirewallReady")).to.equal("False/WouldIsolateNode");
    made.addFirewall([FOREIGN]);
    made.settle();
    expect(made.holderOf("a")).to.equal("n1");
  });

  it("creates a missing firewall with rules and node at once, on record before", () => {
    const made = world();
    made.firewalls.delete(FIREWALL);
    expect(does(made.plan("a"))).to.include("add-rules: record-created-firewall, create-firewall");
    made.settle();
    expect(made.firewalls.get(FIREWALL)?.nodes).to.deep.equal(["digitalocean://n1"]);
    expect(made.holderOf("a")).to.equal("n1");
    expect(made.get("a").status.firewallRules?.[0]).to.deep.include({ ports: "443", phase: "present" });
  });

  it("needs no rule for ports of the NodePort range", () => {
    const made = world();
    made.addService("web", [30_080]);
    made.settle();
    expect(made.firewalls.get(FIREWALL)?.rules).to.deep.equal([FOREIGN]);
    expect(made.get("a").status.ports).to.have.length(1);
  });

  it("removes a port that no RoutedIP needs any more, and never a rule that was there before", () => {
    const made = world();
    made.addFirewall([FOREIGN, { ...FOREIGN, ports: "443", sources: ["0.0.0.0/0", "::/0"] }]);
    made.addService("web", [443, 80]);
    made.settle();
    expect(made.get("a").status.firewallRules?.map(({ ports, preexisting }) => [ports, preexisting])).to.deep.equal([
      ["80", undefined],
      ["443", true],
    ]);
    made.addService("web", [8443]);
    made.settle();
    expect(made.firewalls.get(FIREWALL)?.rules.map(({ ports }) => ports)).to.have.members(["22", "443", "8443"]);
  });

  it("says when the firewall is full, and keeps the address where its ports are open", () => {
    const made = settled();
    const nodes = Array.from({ length: 9 }, (_, index) => `digitalocean://other${index}`);
    made.addFirewall(
      [FOREIGN, { ...FOREIGN, ports: "443", sources: ["0.0.0.0/0", "::/0"] }],
      [...nodes, "digitalocean://n1"],
    );
    // It answers still, and the operator takes no port from a node that serves.
    made.endpoints.set("default/web", [
      { node: "n1", ready: false, serving: true },
      { node: "n2", ready: true, serving: true },
    ]);
    made.settle();
    expect(made.holderOf("a")).to.equal("n1");
    const full = made.plan("a");
    expect(condition(full, "FirewallReady")).to.equal("False/FirewallFull");
    expect(full.waitingNodes.wants, "nodes that it keeps from others").to.equal(0);
  });

  it("moves its traces out of a firewall that the issuer names no more", () => {
    const made = settled();
    made.firewalls.set("other", { id: "o", name: "other", rules: [FOREIGN], nodes: [], pending: false });
    const resolvedClass = made.resolvedClass.get("a");
    if (resolvedClass === undefined) throw new Error("no terms");
    made.resolvedClass.set("a", { ...resolvedClass, firewallName: "other" });
    made.settle();
    expect(made.firewalls.get(FIREWALL)).to.deep.include({ rules: [FOREIGN], nodes: [] });
    expect(made.firewalls.get("other")?.nodes).to.deep.equal(["digitalocean://n1"]);
  });
});
