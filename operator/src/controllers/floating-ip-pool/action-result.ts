/** How a chain ended. Pure. */

import type { ActionFailure, Outcome } from "../../addresses/calls/outcomes.js";
import type { Action, ActionSequence } from "./actions.js";

export interface Step {
  readonly action: Action;
  readonly outcome: Outcome;
}

/** A chain as far as it went. */
export interface ActionResult {
  readonly lockKey: string;
  readonly sequence: ActionSequence;
  /** The last one may be other than done. */
  readonly steps: readonly Step[];
}

/** Whether the world is another one now, so that a plan made at once may say more. */
export function didAnything({ steps }: ActionResult): boolean {
  return steps.some(({ outcome }) => outcome.is !== "skipped");
}

/** The failure that ended a chain, if one did. */
export function failureOf({ steps }: ActionResult): ActionFailure | undefined {
  const last = steps.at(-1)?.outcome;
  return last?.is === "refused" || last?.is === "unknown" ? last.failure : undefined;
}

/** Whether the provider may have accepted the call. */
export function mayBeAccepted(outcome: Outcome): boolean {
  if (outcome.is === "refused") return outcome.failure.unconfirmed === true;
  if (outcome.is === "skipped") return outcome.unconfirmed === true;
  return outcome.is === "done" || outcome.is === "started" || outcome.is === "unknown";
}

/** The addresses of moves whose calls were not sent. */
export function unsentMoves({ sequence, steps }: ActionResult): readonly string[] {
  return sequence.flatMap((action) => {
    if (action.do !== "assign") return [];
    const outcome = steps.find((step) => step.action === action)?.outcome;
    const ended = outcome !== undefined && (outcome.is === "refused" || mayBeAccepted(outcome));
    return ended ? [] : [action.ip];
  });
}
