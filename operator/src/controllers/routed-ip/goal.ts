/** Where a move goes. */

import type { ProviderId } from "../../providers/types.js";
import type { Action } from "./actions.js";
import type { Done } from "./execute.js";
import type { RoutedUnit } from "./unit.js";

/** The provider's view of an action does not always say where the address goes. */
export function withGoal(end: Done, move: RoutedUnit["move"]): Done {
  const { action, outcome } = end;
  if (action.do !== "poll" || action.expected !== undefined || action.ip !== move?.ip) return end;
  return { action: { ...action, expected: move.node.machine }, outcome };
}

export function goalOf(action: Action): ProviderId | undefined {
  if (action.do === "assign") return action.node.machine;
  return action.do === "create-address" && "node" in action.wish ? action.wish.node : undefined;
}
