/** When a RoutedIP may leave the firewalls that were named before: it must lose no open port. */

import { isOfOther, isOurs, type Placement } from "../../../addresses/placements.js";
import type { KeptTraces } from "../../../messages/firewall-remarks.js";
import type { Snapshot } from "../snapshot.js";
import { recordOf } from "../status.js";
import type { Place } from "../update/steps.js";
import type { FirewallPlan } from "./plan.js";

interface Scene {
  readonly placement: Placement | undefined;
  readonly firewall: FirewallPlan | undefined;
}

/** Traffic comes to the holder until the address has left it, and tries to move it may fail: it joins, too, first. */
export function joinsWithoutMove(snapshot: Snapshot, placement: Placement | undefined): boolean {
  return (snapshot.previousFirewallStates ?? []).length > 0 && mayAnswer(placement);
}

/** The address is to leave a node, which may answer at the ports that it had until then. */
export function isLeaving(placement: Placement | undefined, target: Place | undefined): boolean {
  if (placement === undefined || !isOurs(placement)) return false;
  // In the middle of a move, the API may show no holder.
  if (placement.certainty === "moving") return true;
  return mayAnswer(placement) && target !== undefined && target.machine !== placement.holder;
}

/** The firewall that is named now lets through all that the previous ones do; or another resource has the address. */
export function replacesPrevious(snapshot: Snapshot, { placement, firewall }: Scene): boolean {
  return isOfOther(placement) || (isOpen(snapshot, firewall) && coversHolder(snapshot, placement));
}

function coversHolder({ firewall }: Snapshot, placement: Placement | undefined): boolean {
  // In the middle of a move, the API may show no holder.
  if (placement?.holder === undefined) return placement?.certainty !== "moving";
  const { facts } = firewall ?? {};
  return !mayAnswer(placement) || (typeof facts === "object" && facts.nodes.includes(placement.holder));
}

/** It may become ready again, too. */
function mayAnswer(placement: Placement | undefined): boolean {
  return placement?.verdict !== undefined && isOurs(placement);
}

/** What the operator put into firewalls that it changes no more, because none is named. */
export function keptTraces({
  firewall,
  previousFirewallStates = [],
  routed,
  verdictOf,
}: Snapshot): readonly KeptTraces[] {
  const states = [...(firewall === undefined ? [] : [firewall]), ...previousFirewallStates];
  return states.flatMap(({ name, facts }) => {
    const { rules, nodes } = recordOf(routed.status, name);
    const own = rules.filter(({ preexisting }) => preexisting !== true);
    const texts = own.map(({ protocol, ports }) => `rule ${protocol} ${ports}`);
    const items = [...texts, ...nodes.map((machine) => verdictOf(machine)?.node.name ?? machine)];
    return facts === "missing" || items.length === 0 ? [] : [{ name, items }];
  });
}

/** Nothing is missing in the firewall that is named now. */
function isOpen({ firewall }: Snapshot, plan: FirewallPlan | undefined): boolean {
  if (firewall === undefined || plan === undefined) return false;
  const isThere = typeof firewall.facts === "object" && plan.nodeProblem === undefined;
  const missing = plan.addRules.length + plan.addNodes.length;
  return isThere && plan.rulesProblem === undefined && plan.read === undefined && missing === 0;
}
