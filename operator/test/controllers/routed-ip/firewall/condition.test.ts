import { KINDS, type RoutedPort } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { type Plan, plan } from "../../../../src/controllers/routed-ip/plan.js";
import type { Snapshot } from "../../../../src/controllers/routed-ip/snapshot.js";
import { partsOf } from "../../../../src/messages/message.js";
import { serviceMessages } from "../../../../src/messages/services.js";
import type { FirewallRuleFacts } from "../../../../src/providers/firewall-types.js";
import { summary } from "../../../../src/reconcile/summary-conditions.js";
import { FIREWALL } from "../model-cluster.js";
import { ModelWorld } from "../model-world.js";
import { altered, condition, conditionOf, IP, settled } from "../routed-plans.js";

describe("condition FirewallReady of a RoutedIP", () => {
  it("names ports that RoutedIPs of other namespaces open in the same firewall", () => {
    const made = settled();
    const share = (namespace: string, ...ports: readonly string[]) => ({
      rules: ports.map((each) => ({ protocol: "udp" as const, ports: each, sources: [], phase: "present" as const })),
      ...{ nodes: [], namespace },
    });
    const others = [share("default", "53"), share("voice", "5060", "5061"), share("games", "5061", "9")];
    const present = ["53", "5060", "5061"].map((ports) => ({
      protocol: "udp" as const,
      ports,
      sources: [],
      otherSources: false,
    }));
    const { firewall } = made.snapshot("a");
    const { facts } = firewall ?? {};
    if (firewall === undefined || typeof facts !== "object") throw new Error("no firewall");
    const seen = { ...firewall, others, facts: { ...facts, rules: [...facts.rules, ...present] } };
    expect(conditionOf(altered(made, { firewall: seen }), "FirewallReady").message).to.equal(
      'firewall "ingress" lets tcp 443 through; it also opens udp 5060, udp 5061 at the same nodes, for RoutedIPs of namespaces games, voice',
    );
  });

  it("says that the former firewall of the name is called otherwise now, whether there is another one or not", () => {
    const made = settled();
    const { firewall } = made.snapshot("a");
    if (firewall === undefined) throw new Error("no firewall");
    const seen = (change: object) =>
      conditionOf(altered(made, { firewall: { ...firewall, renamed: "web", ...change } }), "FirewallReady");
    const renamed =
      'the former firewall "ingress" is called "web" now, and keeps the rules and nodes that it had; fix: ';
    expect(seen({}).is).to.equal("True/FirewallRenamed");
    expect(seen({}).message).to.include(`firewall "ingress" lets tcp 443 through; ${renamed}`);
    made.serve("web");
    expect(seen({ facts: "missing" }).is).to.equal("False/FirewallNotFound");
    expect(seen({ facts: "missing" }).message).to.include(`; ${renamed}`);
  });

  it("relies on a reading that is too old only where the RoutedIP has on record what was read", () => {
    const made = settled();
    const { firewall, routed } = made.snapshot("a");
    if (firewall === undefined) throw new Error("no firewall");
    const ready = (more: Partial<Snapshot>) =>
      conditionOf(altered(made, { firewall: { ...firewall, due: true }, ...more }), "FirewallReady").is;
    expect(ready({})).to.equal("True/Observed");
    const { firewall: _share, firewallRules: _rules, ...status } = routed.status;
    expect(ready({ routed: { ...routed, status } }), "a new one").to.equal("Unknown/NotObserved");
  });

  it("names ports that the pods open and the Service does not list, unless a rule lets them through", () => {
    const made = settled();
    const { firewall, portsOn } = made.snapshot("a");
    const { facts } = firewall ?? {};
    if (firewall === undefined || typeof facts !== "object") throw new Error("no firewall");
    const unlisted = [{ protocol: "UDP" as const, port: 443 }];
    const seen = (ports: Pick<Snapshot, "portsOn">, ...rules: readonly FirewallRuleFacts[]) =>
      conditionOf(
        altered(made, { ...ports, firewall: { ...firewall, facts: { ...facts, rules: [...facts.rules, ...rules] } } }),
        "FirewallReady",
      );
    const all = { portsOn: (nodes: readonly string[]) => ({ ...portsOn(nodes), unlisted }) };
    expect(seen(all)).to.deep.equal({
      is: "True/UnlistedPorts",
      message:
        'firewall "ingress" lets tcp 443 through; the pods also open 443/UDP by hostPort, which Service default/web does not list, so no rule is for it; fix: if clients are to reach it, have the author of Service default/web add it to its ports',
    });
    const rule: FirewallRuleFacts = { protocol: "udp", ports: "400-500", sources: ["0.0.0.0/0"], otherSources: false };
    expect(seen(all, rule).is, "a person has opened it").to.equal("True/Observed");
    const inRange = [{ protocol: "UDP" as const, port: 30_443 }];
    const ranged = { portsOn: (nodes: readonly string[]) => ({ ...portsOn(nodes), unlisted: inRange }) };
    expect(seen(ranged).is, "the cluster's own firewall opens it").to.equal("True/Observed");
  });

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
      expect(message).to.equal(
        'clients reach the Service at 30080/TCP, 30443/TCP only; the operator takes NodePorts 30080/TCP, 30443/TCP for open, because they are in nodePortRange 30000-32767, and does not create firewall "ingress"',
      );
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
      const { is, message } = conditionOf(planned, "FirewallReady");
      expect(is).to.equal("True/Observed");
      expect(message).to.include(
        "because they are in nodePortRange 30000-32767, and adds no rule for them to firewall",
      );
    });

    it("does not call hostPorts open that it only takes for open, and says so in Ready", () => {
      const made = nodePorts();
      made.settle();
      const planned = made.plan("a");
      const { is, message } = conditionOf(planned, "FirewallReady");
      expect(is).to.equal("True/AssumedOpen");
      expect(message).to.equal(
        'the operator does not create firewall "ingress"; the operator takes hostPorts 30080/TCP, 30443/TCP for open, because they are in nodePortRange 30000-32767; fix: if no other firewall lets them through, use hostPorts outside of the range, or open them in a firewall of your own',
      );
      const [ready] = summary(planned.conditions, { readyWhen: KINDS.RoutedIP.readyWhen });
      const short = `${partsOf(message ?? "")[0]}; condition FirewallReady has the remedy`;
      expect(ready).to.include({ status: "True", reason: "AssumedOpen", message: short });
      expect(conditionOf(planned, "Accepted").is).to.equal("True/Observed");
      const { portsOn } = made.snapshot("a");
      const mixed: typeof portsOn = (nodes) => {
        const { ports, ...found } = portsOn(nodes);
        return { ...found, ports: ports.map((port, at) => (at === 0 ? { ...port, origin: "NodePort" } : port)) };
      };
      expect(conditionOf(altered(made, { portsOn: mixed }), "FirewallReady").message)
        .to.match(/^clients reach the Service at 30080\/TCP; the operator does not create firewall/)
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
      const { resolvedClass } = made.snapshot("a");
      const ofClass = altered(made, {
        ...(resolvedClass && { resolvedClass: { ...resolvedClass, objectName: "games" } }),
      });
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
        .and.match(/; fix: if no other firewall lets it through/);
    });
  });

  it("is not called ready if no port of the Service is open on the node", () => {
    const made = settled();
    const ports = ["port p443 (443/TCP), targetPort 443"];
    const problem = serviceMessages.portsClosed({ key: "default/web", ports, hostPorts: [] });
    const portsOn = () => ({ ports: [], sourceRanges: [], sourceAnnotations: [], problem });
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
    const short = `${partsOf(message ?? "")[0]}; condition FirewallReady has the remedy`;
    expect(ready).to.include({ status: "True", reason: "NoFirewall", message: short });
    expect([reconciling?.status, stalled?.status]).to.deep.equal(["False", "False"]);
    expect(reconciling?.message).to.equal(
      "the operator has nothing left to do; condition Ready says what it does not do",
    );
  });

  describe("of a Service with loadBalancerSourceRanges", () => {
    const OPEN = 'firewall "ingress" lets tcp 443 through';

    function limitedTo(...sourceRanges: readonly string[]): Plan {
      const made = settled();
      const of = made.snapshot("a");
      const facts = made.firewalls.get(FIREWALL);
      const rules = facts?.rules.map((rule) => ({ ...rule, sources: sourceRanges })) ?? [];
      if (facts !== undefined) made.firewalls.set(FIREWALL, { ...facts, rules });
      return altered(made, { portsOn: (nodes) => ({ ...of.portsOn(nodes), sourceRanges }) });
    }

    it("names the clients that it lets in and where that comes from, with a reason that status and Ready show", () => {
      const planned = limitedTo("203.0.113.64/27");
      const ranges = "loadBalancerSourceRanges of Service default/web";
      const message = `${OPEN} from 203.0.113.64/27 only (${ranges})`;
      expect(conditionOf(planned, "FirewallReady")).to.deep.equal({ is: "True/RestrictedSources", message });
      const [ready] = summary(planned.conditions, { readyWhen: KINDS.RoutedIP.readyWhen });
      expect(ready).to.include({ status: "True", reason: "RestrictedSources", message });
    });

    it("names whom other rules of the firewall let in at the same ports", () => {
      const made = settled();
      const of = made.snapshot("a");
      const sourceRanges = ["203.0.113.64/27"];
      const own = { protocol: "tcp", ports: "443", sources: sourceRanges } as const;
      made.edit("a", { status: { ...made.get("a").status, firewallRules: [{ ...own, phase: "present" }] } });
      const message = (...others: readonly Partial<FirewallRuleFacts>[]) => {
        const facts = made.firewalls.get(FIREWALL);
        if (facts === undefined) throw new Error("no firewall");
        const rules = [{}, ...others].map((other) => ({ ...own, otherSources: false, ...other }));
        made.firewalls.set(FIREWALL, { ...facts, rules });
        const planned = altered(made, { portsOn: (nodes) => ({ ...of.portsOn(nodes), sourceRanges }) });
        return conditionOf(planned, "FirewallReady");
      };
      expect(message({ sources: ["0.0.0.0/0", "::/0"], ports: "443" })).to.deep.equal({
        is: "True/UnrestrictedSources",
        message: `${OPEN} from 203.0.113.64/27 (loadBalancerSourceRanges of Service default/web), and from 0.0.0.0/0, ::/0 by other rules, of another RoutedIP or of a person: the rules of a firewall add up; fix: to limit the clients, use an issuer whose routedIPFirewallName no other RoutedIP shares, or have the owner of the account change the other rules`,
      });
      const some = message({ sources: ["198.51.100.0/24"], ports: "400-500" }, { sources: ["0.0.0.0/0"], ports: "80" });
      expect(some.is).to.equal("True/RestrictedSources");
      expect(some.message).to.include("and from 198.51.100.0/24 by other rules");
      expect(message({ sources: ["0.0.0.0/0"], protocol: "udp" }).message).to.include("203.0.113.64/27 only");
      expect(message({ sources: ["0.0.0.0/0"], ports: "all" }).is).to.equal("True/UnrestrictedSources");
    });

    it("names annotations for load balancers that limit the clients, and that the operator does not read", () => {
      const made = settled();
      const annotation = "service.beta.kubernetes.io/do-loadbalancer-allow-rules";
      const { portsOn } = made.snapshot("a");
      const annotated = altered(made, {
        portsOn: (nodes) => ({ ...portsOn(nodes), sourceAnnotations: [annotation] }),
      });
      expect(conditionOf(annotated, "FirewallReady")).to.deep.equal({
        is: "True/UnrestrictedSources",
        message: `${OPEN} from everywhere: the operator does not read annotation ${annotation} of Service default/web; fix: to limit the clients, set loadBalancerSourceRanges of Service default/web; if all are to get through, remove the annotation`,
      });
    });

    it("is nothing special where the ranges leave out no client of the address's family", () => {
      const all = limitedTo("0.0.0.0/0", "198.51.100.0/24");
      expect(conditionOf(all, "FirewallReady")).to.deep.equal({ is: "True/Observed", message: OPEN });
      expect(conditionOf(limitedTo("::/0"), "FirewallReady").is).to.equal("True/RestrictedSources");
    });
  });
});
