/** From a firewall as it is to one as it should be. Pure, and the same for every firewall provider. */

import type { FirewallChange, FirewallFacts, FirewallRuleFacts, ProviderId } from "./types.js";

export interface FirewallWish {
  /** Rules that must be there. */
  readonly rules: readonly FirewallRuleFacts[];
  /** Rules that we added once: of these, those that are not wished are removed. All others stay. */
  readonly ourRules: readonly FirewallRuleFacts[];
  /** Nodes that must be covered. */
  readonly nodes: readonly ProviderId[];
  /** Nodes that we added once: of these, those that are not wished are removed. All others stay. */
  readonly ourNodes: readonly ProviderId[];
}

/** An order in which no node is ever without a rule that it needs: apply `addRules` first, `removeNodes` last. */
export function planFirewallChange(current: FirewallFacts, wish: FirewallWish): FirewallChange {
  const present = new Set(current.rules.map(ruleKey));
  const wished = new Set(wish.rules.map(ruleKey));
  const nodes = new Set(current.nodes);
  const wishedNodes = new Set(wish.nodes);
  return {
    id: current.id,
    name: current.name,
    addRules: unique(wish.rules).filter((rule) => !present.has(ruleKey(rule))),
    addNodes: [...wishedNodes].filter((node) => !nodes.has(node)).sort(),
    removeRules: unique(wish.ourRules).filter((rule) => present.has(ruleKey(rule)) && !wished.has(ruleKey(rule))),
    removeNodes: [...new Set(wish.ourNodes)].filter((node) => nodes.has(node) && !wishedNodes.has(node)).sort(),
  };
}

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

function unique(rules: readonly FirewallRuleFacts[]): readonly FirewallRuleFacts[] {
  return [...new Map(rules.map((rule) => [ruleKey(rule), rule])).values()];
}
