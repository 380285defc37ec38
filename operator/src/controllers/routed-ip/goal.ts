/** Where a move goes. */

import { assignOutcome } from "../../addresses/calls/missing-machine.js";
import type { ProviderId } from "../../providers/types.js";
import type { Action } from "./actions.js";
import type { Done } from "./execute.js";
import type { RoutedIPState } from "./resource-state.js";

/** The provider's view of an action does not always say where the address goes. */
export function withGoal(end: Done, move: RoutedIPState["move"]): Done {
  const { action, outcome } = end;
  if (action.do !== "poll" || action.expected !== undefined || action.ip !== move?.ip) return end;
  return { action: { ...action, expected: move.node.machine }, outcome };
}

/**
 * Attributes an assign call that found nothing to the machine or to the address.
 * @param exists whether the provider still has the address
 */
export function attributed(end: Done, exists: (ip: string) => boolean): Done {
  const { action } = end;
  return action.do === "assign" ? { ...end, outcome: assignOutcome(end.outcome, action, exists) } : end;
}

export function goalOf(action: Action): ProviderId | undefined {
  if (action.do === "assign") return action.node.machine;
  return action.do === "create-address" && "node" in action.desired ? action.desired.node : undefined;
}
