/** What goes wrong is told once: by the condition that it turns, else by the action that failed. Pure. */

import type { ActionFailure } from "../../addresses/calls/outcomes.js";
import type { Condition } from "../../kube/patch.js";
import type { EventMessage } from "../../reconcile/conditions/event-message.js";
import { isBad } from "../../reconcile/conditions/planned-condition.js";
import type { ActionResult, Step } from "./action-result.js";
import { eventMessageOf } from "./events.js";
import type { Snapshot } from "./snapshot.js";

/** The Warning of an action that failed, until it is known whether a condition tells the same. */
export interface PendingWarning {
  readonly eventMessage: EventMessage;
  readonly failure: ActionFailure;
}

/** Tellings that need not wait, and those that do. */
export function sorted(snapshot: Snapshot, { steps }: ActionResult) {
  const told = steps.flatMap((step) => {
    const eventMessage = eventMessageOf(snapshot, step);
    return eventMessage === undefined ? [] : [{ eventMessage, failure: failureOf(step) }];
  });
  return {
    now: told.filter(({ failure }) => failure === undefined).map(({ eventMessage }) => eventMessage),
    pendingWarnings: told.flatMap(({ eventMessage, failure }) =>
      failure === undefined ? [] : [{ eventMessage, failure }],
    ),
  };
}

/**
 * @param before conditions as they were told last.
 * @param troubles failures of actions since.
 */
export function warningsOf(
  before: readonly Condition[],
  conditions: readonly Condition[],
  pendingWarnings: readonly PendingWarning[],
): readonly EventMessage[] {
  const bad = conditions.filter(isBad);
  const placement = bad.filter((condition) => isSame(before, condition));
  const turned = bad.filter((condition) => !placement.includes(condition));
  const notifier = turned.filter((condition, index) => {
    return ![...placement, ...turned.slice(0, index)].some((other) => isRepeat(condition, other));
  });
  const untold = pendingWarnings.filter(({ failure }) => !bad.some((condition) => tells(condition, failure)));
  return [...notifier.map(warning), ...untold.map(({ eventMessage }) => eventMessage)];
}

function warning({ reason, message, type }: Condition): EventMessage {
  return { type: "Warning", reason, action: type, note: message };
}

function isSame(before: readonly Condition[], { type, status, reason }: Condition): boolean {
  const old = before.find((condition) => condition.type === type);
  return old?.status === status && old.reason === reason;
}

/** One cause may turn several conditions. The record set has a provider of its own. */
function isRepeat(condition: Condition, other: Condition): boolean {
  if (condition.reason !== other.reason) return false;
  const ofRecords = [condition, other].filter(({ type }) => type === "DNSReady");
  return ofRecords.length !== 1 || condition.message.includes(other.message);
}

/** The account's first failure is told, and stands for those that follow. */
function tells({ reason, message }: Condition, { problem, ofAccount }: ActionFailure): boolean {
  return message.includes(problem.message) || (ofAccount === true && reason === problem.reason);
}

function failureOf({ outcome }: Step): ActionFailure | undefined {
  return outcome.is === "refused" || outcome.is === "unknown" ? outcome.failure : undefined;
}
