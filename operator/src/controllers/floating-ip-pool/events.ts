/** The Events of an action that ended, and of conditions that turned bad. Pure. */

import type { PlannedAction } from "../../addresses/actions.js";
import type { ActionFailure, Outcome } from "../../addresses/calls/outcomes.js";
import type { Condition } from "../../kube/patch.js";
import {
  ADDRESS_FAILURES,
  abandonedItems,
  type EventMessage,
  failed,
  forgotten,
  normal,
  recordsText,
  settledText,
  warning,
} from "../../reconcile/conditions/event-message.js";
import { isBad } from "../../reconcile/conditions/planned-condition.js";
import type { SequenceEvents } from "../../reconcile/kind.js";
import type { ActionResult, DeferredEvent, SequenceResult } from "../../reconcile/plan.js";
import { failureOf } from "../../reconcile/record-outcome.js";
import type { Snapshot } from "./snapshot.js";

/** Successes are reported at once. A failure waits until it is known whether a condition says the same. */
export function eventsOf(
  snapshot: Snapshot,
  { results }: Pick<SequenceResult<PlannedAction>, "results">,
): SequenceEvents {
  const now: EventMessage[] = [];
  const deferred: DeferredEvent[] = [];
  for (const result of results) {
    const message = eventMessageOf(snapshot, result);
    const failure = failureOf(result.outcome);
    if (message === undefined) continue;
    if (failure === undefined) now.push(message);
    else deferred.push({ ...message, failure });
  }
  return { now, deferred };
}

/**
 * What went wrong, once: by the condition that it turned, else by the action that failed.
 * @param before conditions as the last status had them.
 * @param deferred failures of actions since.
 */
export function warningsOf(
  before: readonly ConditionFacts[],
  conditions: readonly ConditionFacts[],
  deferred: readonly DeferredEvent[],
): readonly EventMessage[] {
  const bad = conditions.filter(isBad);
  const known = bad.filter((condition) => isSame(before, condition));
  const turned = bad.filter((condition) => !known.includes(condition));
  const reported = turned.filter((condition, index) => {
    return ![...known, ...turned.slice(0, index)].some((other) => isRepeat(condition, other));
  });
  const others = deferred.filter(({ failure }) => !bad.some((condition) => isAbout(condition, failure)));
  return [...reported.map(({ reason, message, type }) => warning(reason, type, message)), ...others];
}

type ConditionFacts = Pick<Condition, "type" | "status" | "reason" | "message">;

function isSame(before: readonly ConditionFacts[], { type, status, reason }: ConditionFacts): boolean {
  const old = before.find((condition) => condition.type === type);
  return old?.status === status && old.reason === reason;
}

/** One cause may turn several conditions. The record set has a provider of its own. */
function isRepeat(condition: ConditionFacts, other: ConditionFacts): boolean {
  if (condition.reason !== other.reason) return false;
  const ofRecords = [condition, other].filter(({ type }) => type === "DNSReady");
  return ofRecords.length !== 1 || condition.message.includes(other.message);
}

/** The first failure of an account is reported, and stands for those that follow. */
function isAbout({ reason, message }: ConditionFacts, failure: ActionFailure | undefined): boolean {
  if (failure === undefined) return false;
  const { problem, ofAccount } = failure;
  return message.includes(problem.message) || (ofAccount === true && reason === problem.reason);
}

/** `undefined`: nothing worth an Event. */
function eventMessageOf(
  snapshot: Snapshot,
  { action, outcome }: ActionResult<PlannedAction>,
): EventMessage | undefined {
  if (outcome.is === "skipped" || outcome.is === "superseded") return undefined;
  if (outcome.is === "refused" || outcome.is === "unknown") {
    const lockKey = "ip" in action && action.ip !== undefined ? `${action.ip}: ` : "";
    return failed(FAILED[action.do], outcome.failure.problem, lockKey);
  }
  return succeeded(snapshot, action, outcome);
}

type Well = Extract<Outcome, { readonly is: "done" | "started" }>;

function succeeded(snapshot: Snapshot, action: PlannedAction, outcome: Well): EventMessage | undefined {
  switch (action.do) {
    case "assign":
      return assigned(snapshot, action, outcome);
    case "poll":
      return arrived(snapshot, action);
    case "create-address":
      return normal("Created", "Create", `${outcome.ip ?? "an address"} was created: ${action.why}`);
    case "settle-creation":
      return settled(action);
    case "release":
      return normal("Released", "Release", `${action.ip} was released: ${action.why}`);
    case "apply-records":
      return normal("RecordsChanged", "ChangeRecords", recordsText(action.changes));
    case "annotate-pool":
      return forgotten(action.forgotten);
    case "remove-finalizer":
      return abandonedItems(action.abandonedItems, action.why);
    default:
      return undefined;
  }
}

function assigned(
  { verdictOf, pool }: Snapshot,
  { from, why, ip, node }: Extract<PlannedAction, { readonly do: "assign" }>,
  outcome: Well,
): EventMessage {
  // One of the pool's own may have lost its node to the cloud; anybody else's droplet is a take-over.
  const known = from === undefined || verdictOf(from) !== undefined || pool.status.ips?.[ip]?.providerID === from;
  if (!known) return normal("TakenOver", "Assign", `${why}; it was on ${from}, no node of this cluster`);
  return outcome.is === "started"
    ? normal("Moving", "Assign", why)
    : normal("Assigned", "Assign", `${why}: ${node.name}`);
}

function arrived(
  { verdictOf }: Snapshot,
  { ip, expected }: Extract<PlannedAction, { readonly do: "poll" }>,
): EventMessage | undefined {
  if (expected === undefined) return undefined;
  return normal("Assigned", "Assign", `${ip} is on ${verdictOf(expected)?.node.name ?? expected}`);
}

function settled({
  result,
  why,
}: Extract<PlannedAction, { readonly do: "settle-creation" }>): EventMessage | undefined {
  return result.created === undefined ? undefined : settledText(result.created.ip, why);
}

const FAILED: Readonly<Record<PlannedAction["do"], readonly [reason: string, action: string]>> = {
  ...ADDRESS_FAILURES,
  "confirm-address": ["AssignFailed", "Assign"],
  "record-assignment": ["StatusNotWritten", "WriteStatus"],
  "append-to-spec": ["SpecNotWritten", "WriteSpec"],
  "mark-in-spec": ["StatusNotWritten", "WriteStatus"],
  "drop-from-spec": ["SpecNotWritten", "WriteSpec"],
  "annotate-node": ["AnnotationNotWritten", "Annotate"],
  "unannotate-node": ["AnnotationNotWritten", "Annotate"],
};
