/** What people should know of a class. */

import type { Condition } from "../../kube/write/patch.js";
import { type EventMessage, warning } from "../../reconcile/conditions/event-message.js";
import { type PlannedCondition, turnedBad } from "../../reconcile/conditions/planned-condition.js";
import type { SequenceEvents } from "../../reconcile/kind.js";
import type { SequenceResult } from "../../reconcile/plan.js";
import type { Action } from "./plan.js";

/** A failed Job is reported, whether or not it could be deleted. */
export function eventsOf({ results }: SequenceResult<Action>): SequenceEvents {
  const failures = results.filter(({ outcome }) => outcome.is !== "skipped");
  return {
    now: failures.flatMap(({ action }) => {
      return action.do === "record-failure"
        ? warning(action.problem.reason, "ChangeFirewall", action.problem.message)
        : [];
    }),
  };
}

export function conditionEvents(
  before: readonly Condition[],
  planned: readonly PlannedCondition[],
): readonly EventMessage[] {
  return turnedBad(before, planned).map(({ reason, message }) => warning(reason, "Check", message));
}
