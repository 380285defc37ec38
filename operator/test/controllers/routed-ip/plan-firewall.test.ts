import { KINDS, type RoutedPort } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { plan } from "../../../src/controllers/routed-ip/plan.js";
import type { Snapshot } from "../../../src/controllers/routed-ip/snapshot.js";
import { serviceMessages } from "../../../src/messages/services.js";
import { summary } from "../../../src/reconcile/summary.js";
import { FIREWALL, FOREIGN } from "./model-cluster.js";
import { ModelWorld } from "./model-world.js";
import { altered, condition, conditionOf, does, IP, settled, world } from "./routed-plans.js";

describe("the firewall in the plan of a RoutedIP", () => {
  describe("of a Service whose ports all lie in the NodePort range", () => {
    function nodePorts(): ModelWorld {
      const made = new ModelWorld();
      made.addNode("n1");
      made.addService("web", [30_080, 30_443]);
      made.serve("web", "n1");
      made.addRouted("a", { routedIP: IP });
      return made;
    }

    function withOrigin(made: ModelWorld, origin: RoutedPort["origin"]): Snapshot["portsOn"] {
      const { portsOn } = made.snapshot("a");
      return (nodes) => ({ ...portsOn(nodes), ports: portsOn(nodes).ports.map((port) => ({ ...port, origin })) });
    }

    it("needs no firewall: none is created, and FirewallReady is True", () => {
      const made = nodePorts();
      made.settle();
      expect(made.firewalls.size).to.equal(0);
      expect(made.holderOf("a")).to.equal("n1");
      const { is, message } = conditionOf(altered(made, { portsOn: withOrigin(made, "NodePort") }), "FirewallReady");
      expect(is, message).to.equal("True/Observed");
      expect(message).to.contain("30000-32767");
      expect(conditionOf(made.plan("a"), "Accepted").is).to.equal("True/Observed");
    });

    it("puts no node in danger: one that the firewall would isolate gets the address all the same", () => {
      const made = nodePorts();
      made.addFirewall([]);
      made.covered.clear();
      made.settle();
      expect(made.firewalls.get(FIREWALL)?.nodes).to.deep.equal([]);
      expect(made.holderOf("a")).to.equal("n1");
      const planned = altered(made, { portsOn: withOrigin(made, "NodePort") });
      expect(conditionOf(planned, "FirewallReady").is).to.equal("True/Observed");
    });

    it("does not call hostPorts open that it only takes for open, and says so in Ready", () => {
      const made = nodePorts();
      made.settle();
      const planned = made.plan("a");
      const { is, message } = conditionOf(planned, "FirewallReady");
      expect(is).to.equal("True/AssumedOpen");
      expect(message).to.equal(
        'no port needs a rule of firewall "ingress", so the operator does not create it; the operator takes hostPorts 30080/TCP, 30443/TCP for open, because they are in nodePortRange 30000-32767; fix: if no other firewall lets them through, use hostPorts outside of the range, or open them in a firewall of your own',
      );
      const [ready] = summary(planned.conditions, { readyWhen: KINDS.RoutedIP.readyWhen });
      expect(ready).to.include({ status: "True", reason: "AssumedOpen", message });
      expect(conditionOf(planned, "Accepted").is).to.equal("True/Observed");
      const { portsOn } = made.snapshot("a");
      const mixed: typeof portsOn = (nodes) => {
        const { ports, ...found } = portsOn(nodes);
        return { ...found, ports: ports.map((port, at) => (at === 0 ? { ...port, origin: "NodePort" } : port)) };
      };
      expect(conditionOf(altered(made, { portsOn: mixed }), "FirewallReady").message)
        .to.match(/^clients reach the Service at 30080\/TCP; no port needs a rule/)
        .and.include("takes hostPort 30443/TCP for open, because it is in");
    });

    it("says so also beside ports that have rules, with the class whose range it is", () => {
      const made = new ModelWorld();
      made.addNode("n1");
      made.addService("web", [443, 30_120]);
      made.serve("web", "n1");
      made.addFirewall();
      made.addRouted("a", { routedIP: IP });
      made.settle();
      const routed = made.get("a");
      const { issuerRef: _issuer, ...spec } = routed.spec;
      const ofClass = altered(made, { routed: { ...routed, spec: { ...spec, className: "games" } } });
      const { is, message } = conditionOf(ofClass, "FirewallReady");
      expect(is).to.equal("True/AssumedOpen");
      expect(message).to.equal(
        'firewall "ingress" lets tcp 443 through; the operator takes hostPort 30120/TCP for open, because it is in nodePortRange 30000-32767; fix: if no other firewall lets it through, ask the author of ClusterRoutedIPClass games to narrow nodePortRange, or use a hostPort outside of it',
      );
      const sourceRanges = ["203.0.113.64/27"];
      const facts = made.firewalls.get(FIREWALL);
      const rules = facts?.rules.map((rule) => ({ ...rule, sources: sourceRanges })) ?? [];
      if (facts !== undefined) made.firewalls.set(FIREWALL, { ...facts, rules });
      const of = made.snapshot("a");
      const portsOn: typeof of.portsOn = (nodes) => ({ ...of.portsOn(nodes), sourceRanges });
      expect(conditionOf(altered(made, { portsOn }), "FirewallReady").message)
        .to.match(/from 203.0.113.64\/27 only \([^;]*\); the operator takes hostPort 30120\/TCP/)
        .and.match(/; fix: to let more in, change [^;]*; fix: if no other firewall lets it through/);
    });
  });

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
  });

  it("reads the firewall before it relies on it, and assigns without it under firewallPostAllow", () => {
    const made = settled();
    made.serve("web", "n2");
    made.firewallKnown = false;
    expect(does(made.plan("a"))).to.deep.equal(["elect: set-taints", "find-firewall: read-firewall"]);
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
    expect(condition(made.plan("a"), "FirewallReady")).to.equal("False/FirewallFull");
  });

  it("is not called ready if no port of the Service is open on the node", () => {
    const made = settled();
    const ports = ["port p443 (443/TCP), targetPort 443"];
    const problem = serviceMessages.portsClosed({ key: "default/web", ports, hostPorts: [] });
    const portsOn = () => ({ ports: [], sourceRanges: [], problem });
    made.edit("a", { status: { ...made.get("a").status, firewallRules: [] } });
    const { is, message } = conditionOf(altered(made, { portsOn }), "FirewallReady");
    expect(is).to.equal("False/ServiceUnsuitable");
    expect(message).to.equal(problem.message);
    const { firewallName: _none, ...resolvedClass } = made.resolvedClass.get("a") ?? ({} as never);
    const without = altered(made, { portsOn, resolvedClass });
    expect(condition(without, "FirewallReady"), "without a firewall, none is missing").to.equal("True/NoFirewall");
  });

  it("says which issuer names none, whom to ask, and that ready is all but that", () => {
    const made = settled();
    const { firewallName: _none, ...resolvedClass } = made.resolvedClass.get("a") ?? ({} as never);
    const { firewall: _firewall, ...snapshot } = made.snapshot("a");
    const planned = plan({ ...snapshot, resolvedClass });
    const { is, message } = conditionOf(planned, "FirewallReady");
    expect(is).to.equal("True/NoFirewall");
    expect(message).to.match(
      /^RoutedIPIssuer default\/do names no firewall .*; fix: have the author of RoutedIPIssuer/,
    );
    const { readyWhen } = KINDS.RoutedIP;
    const [ready, reconciling, stalled] = summary(planned.conditions, { readyWhen });
    expect(ready).to.include({ status: "True", reason: "NoFirewall", message });
    expect([reconciling?.status, stalled?.status]).to.deep.equal(["False", "False"]);
    expect(reconciling?.message).to.equal(
      "the operator has nothing left to do; condition Ready says what it does not do",
    );
  });

  it("says where the ranges of clients come from that it lets through", () => {
    const made = settled();
    const of = made.snapshot("a");
    expect(conditionOf(plan(of), "FirewallReady").message).to.equal('firewall "ingress" lets tcp 443 through');
    const sourceRanges = ["203.0.113.64/27"];
    const facts = made.firewalls.get(FIREWALL);
    const rules = facts?.rules.map((rule) => ({ ...rule, sources: sourceRanges })) ?? [];
    if (facts !== undefined) made.firewalls.set(FIREWALL, { ...facts, rules });
    const portsOn: typeof of.portsOn = (nodes) => ({ ...of.portsOn(nodes), sourceRanges });
    const ranges = "loadBalancerSourceRanges of Service default/web";
    expect(conditionOf(altered(made, { portsOn }), "FirewallReady").message).to.equal(
      `firewall "ingress" lets tcp 443 through from 203.0.113.64/27 only (${ranges}); fix: to let more in, change ${ranges}, or remove it to let everybody in`,
    );
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
