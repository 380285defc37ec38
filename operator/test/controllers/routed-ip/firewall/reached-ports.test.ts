import { expect } from "chai";
import { describe, it } from "mocha";
import type { Snapshot } from "../../../../src/controllers/routed-ip/snapshot.js";
import type { PortsFound } from "../../../../src/routing/needed-ports.js";
import type { ModelWorld } from "../model-world.js";
import { altered, conditionOf, settled } from "../routed-plans.js";

type Numbers = readonly (readonly [PortsFound["ports"][number]["protocol"], number])[];

describe("condition FirewallReady of a RoutedIP says at which ports clients reach the Service", () => {
  function withPorts(made: ModelWorld, found: Partial<PortsFound>): Pick<Snapshot, "portsOn"> {
    const { portsOn } = made.snapshot("a");
    return { portsOn: (nodes) => ({ ...portsOn(nodes), ...found }) };
  }

  function nodePorts(...numbers: Numbers): Pick<PortsFound, "ports"> {
    return { ports: numbers.map(([protocol, port]) => ({ protocol, port, origin: "NodePort" })) };
  }

  it("if its pods have other hostPorts than the Service has ports", () => {
    const made = settled();
    const message = (found: Partial<PortsFound>) =>
      conditionOf(altered(made, withPorts(made, found)), "FirewallReady").message;
    const opened = 'firewall "ingress" lets tcp 443 through';
    expect(message({})).to.equal(opened);
    expect(message({ missed: [{ protocol: "TCP", port: 8443 }] })).to.equal(
      `${opened}; clients reach the Service at 443/TCP only (hostPort), not at its port 8443/TCP`,
    );
  });

  it("if they are NodePorts, and that those for UDP are only taken for open: firewalls often let in TCP alone", () => {
    const made = settled();
    made.firewalls.clear();
    const { firewall: _none, ...status } = made.get("a").status;
    made.edit("a", { status: { ...status, firewallRules: [] } });
    const seen = (numbers: Numbers, change: Partial<Snapshot> = {}) =>
      conditionOf(altered(made, { ...withPorts(made, nodePorts(...numbers)), ...change }), "FirewallReady");
    const open = "for open, because it is in nodePortRange 30000-32767";
    expect(seen([["TCP", 30_443]])).to.deep.equal({
      is: "True/Observed",
      message: `clients reach the Service at 30443/TCP only; the operator takes NodePort 30443/TCP ${open}, and does not create firewall "ingress"`,
    });
    const both = [
      ["UDP", 30_080],
      ["TCP", 30_443],
    ] as const;
    const udp = `the operator takes NodePort 30080/UDP ${open}; fix: if no other firewall lets it through, open it in a firewall of your own`;
    expect(seen(both)).to.deep.equal({
      is: "True/AssumedOpen",
      message: `clients reach the Service at 30080/UDP, 30443/TCP; the operator does not create firewall "ingress"; ${udp} (a RoutedIP with issuerRef has the default nodePortRange; a class can have a narrower one)`,
    });
    const { resolvedClass } = made.snapshot("a");
    if (resolvedClass === undefined) throw new Error("no class");
    expect(seen(both, { resolvedClass: { ...resolvedClass, objectName: "voice" } }).message).to.include(
      `${udp}, or ask the author of ClusterRoutedIPClass voice to narrow nodePortRange, so that the operator opens it`,
    );
  });
});
