/** Whose failure a failure of an action may be, and how urgent its call is. */

import type { CallPriority } from "../../../providers/urgency.js";
import type { RecoveringAccount } from "../../../reconcile/retries/retries.js";
import { firewallPriority, isFirewallCall, recoveryOf } from "../firewall/firewall-calls.js";
import type { GatherTools } from "../gather.js";
import type { Gathered } from "../gathered.js";
import type { RoutedKind } from "../routed-state.js";

type RoutedAction = RoutedKind["action"];

export function accountOf(
  { routing }: GatherTools,
  gathered: Gathered,
  action: RoutedAction,
): RecoveringAccount | undefined {
  if (gathered.by === "jobs") return undefined;
  if (isFirewallCall(action)) return recoveryOf(routing, gathered, action);
  if (action.do !== "read-records" && action.do !== "apply-records") return gathered.account;
  const provider = gathered.dns?.sets[action.which]?.provider;
  return provider && routing.context.records.recoveryOf(provider);
}

/** Records, and a creation or a release, serve no node that waits for its address to move. */
export function priorityOf(action: RoutedAction): CallPriority | undefined {
  switch (action.do) {
    case "create-address":
    case "release":
    case "read-records":
    case "apply-records":
      return "records";
    default:
      return isFirewallCall(action) ? firewallPriority(action) : undefined;
  }
}
