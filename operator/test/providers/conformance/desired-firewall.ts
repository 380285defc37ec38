/** A change for the contract to apply, made of what a test wishes. The operator's own are made in controllers/routed-ip. */

import { ruleKey } from "../../../src/providers/diff.js";
import type { FirewallChange, FirewallFacts, FirewallRuleFacts } from "../../../src/providers/firewall-types.js";
import type { ProviderId } from "../../../src/providers/types.js";

export interface DesiredFirewall {
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
export function planFirewallChange(current: FirewallFacts, request: DesiredFirewall): FirewallChange {
  const present = new Set(current.rules.map(ruleKey));
  const wished = new Set(request.rules.map(ruleKey));
  const nodes = new Set(current.nodes);
  const desiredNodes = new Set(request.nodes);
  return {
    id: current.id,
    name: current.name,
    addRules: unique(request.rules).filter((rule) => !present.has(ruleKey(rule))),
    addNodes: [...desiredNodes].filter((node) => !nodes.has(node)).sort(),
    removeRules: unique(request.ourRules).filter((rule) => present.has(ruleKey(rule)) && !wished.has(ruleKey(rule))),
    removeNodes: [...new Set(request.ourNodes)].filter((node) => nodes.has(node) && !desiredNodes.has(node)).sort(),
  };
}

function unique(rules: readonly FirewallRuleFacts[]): readonly FirewallRuleFacts[] {
  return [...new Map(rules.map((rule) => [ruleKey(rule), rule])).values()];
}
