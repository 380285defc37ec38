/** What people should know of an issuer. */

import type { Condition } from "../../kube/write/patch.js";
import { abandonedItems, type EventMessage, warning } from "../../reconcile/conditions/event-message.js";
import { type PlannedCondition, turnedBad } from "../../reconcile/conditions/planned-condition.js";
import type { SequenceEvents } from "../../reconcile/kind.js";
import type { ActionResult, SequenceResult } from "../../reconcile/plan.js";
import type { Action } from "./plan.js";

export function eventsOf({ results }: SequenceResult<Action>): SequenceEvents {
  return { now: results.flatMap((result) => eventOf(result) ?? []) };
}

function eventOf({ action, outcome }: ActionResult<Action>): EventMessage | undefined {
  if (action.do === "remove-finalizer" && outcome.is === "done")
    return abandonedItems(action.abandonedItems, action.why);
  if (action.do !== "remove-firewall" || outcome.is !== "refused") return undefined;
  return warning("FirewallFailed", "Check", outcome.failure.problem.message);
}

export function conditionEvents(
  before: readonly Condition[],
  planned: readonly PlannedCondition[],
): readonly EventMessage[] {
  return turnedBad(before, planned).map(({ reason, message }) => warning(reason, "Check", message));
}
