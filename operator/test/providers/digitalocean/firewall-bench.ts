import type { FirewallRule } from "flipop-sandbox/digitalocean";
import type { FirewallRuleFacts } from "../../../src/providers/firewall-types.js";
import type { FirewallBench } from "../conformance/benches.js";
import { type DigitalOceanBench, startBench } from "./bench.js";

export async function startFirewallBench(): Promise<FirewallBench & DigitalOceanBench> {
  const bench = await startBench();
  const { firewalls } = bench.set;
  if (firewalls === undefined) throw new Error("DigitalOcean has firewalls");
  const { state } = bench.simulator;
  return {
    ...bench,
    provider: firewalls,
    addNode: () => bench.addNode(),
    addFirewall: (name, nodes, rules) =>
      void state.firewalls.add({ name, dropletIds: nodes.map(idOf), inbound: rules.map(simulated) }),
    coverByTag: (name, node) => {
      state.tagDroplet(idOf(node), "web");
      state.firewalls.add({ name, tags: ["web"] });
    },
    firewall: (name) => {
      const firewall = state.firewalls.byName(name);
      if (firewall === undefined) return undefined;
      return {
        rules: firewall.config.inbound.map(({ protocol, ports }) => `${protocol} ${ports}`).sort(),
        nodes: firewall.config.dropletIds.map((id) => `digitalocean://${id}`).sort(),
      };
    },
  };
}

function idOf(node: string): number {
  return Number(node.replace("digitalocean://", ""));
}

function simulated({ protocol, ports, sources }: FirewallRuleFacts): FirewallRule {
  return { protocol, ports, target: { addresses: sources } };
}
