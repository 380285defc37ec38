/** Failures of actions whose Events wait for the status, since a condition may say the same. */

import { addressMessages } from "../messages/addresses.js";
import type { EventMessage } from "../messages/message.js";
import { includes, type Problem, valuesIn } from "../messages/message.js";
import { isBad, type PlannedCondition, type SeenCondition } from "./conditions.js";
import type { SequenceEvents } from "./kind.js";
import type { Action, ActionResult, DeferredEvent } from "./plan.js";
import { failureOf } from "./run-actions.js";

/** Facts of a condition, and what its message is made of. */
export type SaidCondition = SeenCondition & Pick<PlannedCondition, "message" | "said">;

/**
 * Successes are reported at once. A failure waits until it is known whether a condition says the same.
 * @param messageOf `undefined`: nothing worth an Event.
 * @param shownIn the address whose status shows a failure of the action.
 */
export function eventsOfResults<A extends Action>(
  results: readonly ActionResult<A>[],
  messageOf: (result: ActionResult<A>) => EventMessage | undefined,
  shownIn: (action: A) => { readonly ip?: string } = () => ({}),
): SequenceEvents {
  const now: EventMessage[] = [];
  const deferred: DeferredEvent[] = [];
  for (const result of results) {
    const message = messageOf(result);
    const failure = failureOf(result.outcome);
    if (message === undefined) continue;
    if (failure === undefined) now.push(message);
    else deferred.push({ ...message, failure, ...shownIn(result.action) });
  }
  return { now, deferred };
}

/** Those that no condition reports. */
export function unreported(
  deferred: readonly DeferredEvent[],
  conditions: readonly SaidCondition[],
): readonly DeferredEvent[] {
  const bad = conditions.filter(isBad);
  return deferred.filter((failed) => !bad.some((condition) => isAbout(condition, failed)));
}

/** The first failure of an account is reported, and stands for those that follow. */
function isAbout(condition: SaidCondition, { failure, ip }: DeferredEvent): boolean {
  if (failure === undefined) return false;
  const { problem, ofAccount } = failure;
  if (ofAccount === true && condition.reason === problem.reason) return true;
  return says(condition, problem) || (ip !== undefined && saysOfAddress(condition, ip, problem));
}

/** The status keeps the reason of a failure and its text: the failure itself is not there any more. */
function saysOfAddress({ said }: SaidCondition, ip: string, { reason }: Problem): boolean {
  const failures = said === undefined ? [] : valuesIn(said, addressMessages.lastActionFailed);
  return failures.some((last) => last.ip === ip && last.reason === reason);
}

/** Whether the problem is the condition's, or one of its causes. */
export function says({ said }: Pick<SaidCondition, "said">, problem: Problem | undefined): boolean {
  return said !== undefined && problem !== undefined && includes(said, problem);
}
