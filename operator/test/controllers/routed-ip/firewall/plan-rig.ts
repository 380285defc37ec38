/** Firewalls, rules and records for the plans of firewalls, and such a plan. */

import type { FirewallRule } from "cdk8s-flipop/api";
import { type FirewallPlan, planFirewall } from "../../../../src/controllers/routed-ip/firewall/plan.js";
import type { DesiredFirewall, FirewallSnapshot } from "../../../../src/controllers/routed-ip/firewall/snapshot.js";
import type { FirewallFacts, FirewallRuleFacts } from "../../../../src/providers/firewall-types.js";
import type { Recorded } from "../../../../src/routing/firewalls/firewall-shares.js";

export const [A, B] = ["cloud://a", "cloud://b"];
export const NOTHING: Recorded = { rules: [], nodes: [] };

export function rule(port: number): FirewallRuleFacts {
  return { protocol: "tcp", ports: `${port}`, sources: ["0.0.0.0/0", "::/0"], otherSources: false };
}

export function record(port: number, more: Partial<FirewallRule> = {}): FirewallRule {
  const { ports, sources } = rule(port);
  return { protocol: "tcp", ports, sources, phase: "present", ...more };
}

export function facts(rules: readonly FirewallRuleFacts[], nodes: readonly string[] = []): FirewallFacts {
  return { id: "fw", name: "ingress", rules, nodes, pending: false };
}

/** All machines are covered by another firewall. */
export function firewall(seen: FirewallSnapshot["facts"], more: Partial<FirewallSnapshot> = {}): FirewallSnapshot {
  const coveredBy = new Map([A, B].map((machine) => [machine, ["base"]]));
  return { name: "ingress", facts: seen, coveredBy, others: [], ...more };
}

export const ports = (rules: readonly FirewallRuleFacts[] = []) => rules.map((each) => each.ports).join();

/** For a RoutedIP that goes to `A` with port 443. */
export function planFor(
  seen: FirewallSnapshot,
  desired: Partial<DesiredFirewall> = {},
  recorded: Recorded = NOTHING,
): FirewallPlan {
  return planFirewall(seen, { rules: [rule(443)], target: A, ...desired }, recorded);
}
