/** What a change of a firewall comes to. Pure, and the same for every firewall provider. */

import type { FirewallChange, FirewallFacts, FirewallRuleFacts } from "./types.js";

export function isEmptyChange(change: FirewallChange): boolean {
  const { addRules, addNodes, removeRules, removeNodes } = change;
  return [addRules, addNodes, removeRules, removeNodes].every((part) => part.length === 0);
}

/** Rules have no id: two with the same key are one. A rule with other sources is never equal to one of ours. */
export function ruleKey({ protocol, ports, sources, otherSources }: FirewallRuleFacts): string {
  return `${protocol} ${ports} ${[...sources].sort().join(",")}${otherSources ? " +others" : ""}`;
}

/** `undefined` where the change fits the provider's limits, also half-way, as additions come first; else what does not. */
export function overLimit(
  current: FirewallFacts,
  change: FirewallChange,
  limits: { readonly rulesPerFirewall: number; readonly nodesPerFirewall: number },
): string | undefined {
  const rules = current.rules.length + change.addRules.length;
  const nodes = current.nodes.length + change.addNodes.length;
  if (rules > limits.rulesPerFirewall) {
    return `firewall "${current.name}" would have ${rules} rules, at most ${limits.rulesPerFirewall} are possible; use a port range, or another firewall`;
  }
  if (nodes > limits.nodesPerFirewall) {
    return `firewall "${current.name}" would cover ${nodes} nodes, at most ${limits.nodesPerFirewall} are possible; match fewer nodes`;
  }
  return undefined;
}
