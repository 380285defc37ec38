/** Which addresses a sequence takes from one node to another: the limits of moves count these. */

import { type Action, type ActionSequence, actionsOf } from "../reconcile/plan.js";
import type { AddressAction } from "./actions.js";

/** The addresses that a sequence takes from one node to another. */
export function movedIps(sequence: ActionSequence<Action>): readonly string[] {
  return actionsOf(sequence)
    .filter(isMoveOffHolder)
    .map(({ ip }) => ip);
}

function isMoveOffHolder(action: Action): action is Extract<AddressAction, { readonly do: "assign" }> {
  return action.do === "assign" && "from" in action && action.from !== undefined;
}
