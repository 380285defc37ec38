/** Events of the actions of pools and RoutedIPs: those that both report in the same words, and failures that wait for the status, since a condition may say the same. */

import { addressMessages } from "../messages/addresses.js";
import { creationEnded, eventMessages, forgotten } from "../messages/events.js";
import { type EventMessage, includes, type Problem, valuesIn } from "../messages/message.js";
import { isBad, type PlannedCondition, type SeenCondition } from "../reconcile/conditions.js";
import type { SequenceEvents } from "../reconcile/kind.js";
import type { ActionResult, Action as AnyAction, DeferredEvent } from "../reconcile/plan.js";
import { recordsRecorded, recordsWritten } from "../records/record-events.js";
import type { Action } from "./actions.js";
import { failureOf } from "./call-outcomes.js";
import { entryRemoved } from "./release.js";

const IN_COMMON = [
  "settle-creation",
  "release",
  "apply-records",
  "record-dns",
  "annotate-pool",
  "forget-created",
] as const;

interface SomeAction {
  readonly do: string;
}

type ActionInCommon = Extract<Action, { readonly do: (typeof IN_COMMON)[number] }>;

/** @returns `undefined`: nothing worth an Event, or the kind has words of its own. */
export function eventInCommon(action: SomeAction): EventMessage | undefined {
  return isInCommon(action) ? eventOf(action) : undefined;
}

function isInCommon(action: SomeAction): action is ActionInCommon {
  return IN_COMMON.some((name) => name === action.do);
}

function eventOf(action: ActionInCommon): EventMessage | undefined {
  switch (action.do) {
    case "settle-creation":
      return creationEnded(action);
    case "release":
      return eventMessages.released(action);
    case "apply-records":
      return recordsWritten(action);
    case "record-dns":
      return recordsRecorded(action);
    case "annotate-pool":
      return forgotten(action.forgotten);
    case "forget-created":
      return entryRemoved(action);
  }
}

/** Facts of a condition, and what its message is made of. */
export type SaidCondition = SeenCondition & Pick<PlannedCondition, "message" | "said">;

/**
 * Successes are reported at once. A failure waits until it is known whether a condition says the same.
 * @param messageOf `undefined`: nothing worth an Event.
 * @param shownIn the address whose status shows a failure of the action.
 */
export function eventsOfResults<A extends AnyAction>(
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
    else deferred.push({ ...message, do: result.action.do, failure, ...shownIn(result.action) });
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
