/** The rules and nodes that a RoutedIP needs in its firewall, and the plan for it. */

import { isOfOther } from "../../../addresses/placements.js";
import { rulesOf } from "../../../routing/needed-ports.js";
import { omitUndefined } from "../../../values.js";
import { isDeleting } from "../deletion.js";
import type { Snapshot } from "../snapshot.js";
import { recordOf } from "../status.js";
import type { Decision } from "../update/steps.js";
import { isLeaving, joinsWithoutMove } from "./leave-previous-firewalls.js";
import { type FirewallPlan, planFirewall } from "./plan.js";
import type { DesiredFirewall } from "./snapshot.js";

type Needed = Pick<Decision, "target" | "holder" | "ports" | "placement">;

/**
 * Without a name the operator changes no firewall: what it put into one stays until the RoutedIP goes. For an address of
 * another resource it only takes out what is on record.
 */
export function firewallPlanOf(snapshot: Snapshot, needs: Needed): FirewallPlan | undefined {
  const { firewall, routed } = snapshot;
  if (firewall === undefined || (firewall.previous === true && !isDeleting(routed))) return undefined;
  const recorded = recordOf(routed.status, firewall.name);
  const isIdle = recorded.rules.length + recorded.nodes.length === 0;
  if (isIdle && isOfOther(needs.placement)) return undefined;
  return planFirewall(firewall, desiredFirewall(snapshot, needs), recorded);
}

/** One that goes needs nothing any more. */
function desiredFirewall(snapshot: Snapshot, { target, holder, ports, placement }: Needed): DesiredFirewall {
  const { routed, resolvedClass } = snapshot;
  const joining = target ?? (joinsWithoutMove(snapshot, placement) ? holder : undefined);
  if (isDeleting(routed) || resolvedClass === undefined || isOfOther(placement)) return { rules: [] };
  return {
    rules: rulesOf(ports.ports, { nodePortRange: resolvedClass.nodePortRange, sourceRanges: ports.sourceRanges }),
    ...(joining === undefined ? {} : { target: joining.machine, ...omitUndefined({ node: joining.name }) }),
    ...(holder === undefined ? {} : { holder: holder.machine }),
    ...(isLeaving(placement, target) ? { leaving: true as const } : {}),
  };
}
