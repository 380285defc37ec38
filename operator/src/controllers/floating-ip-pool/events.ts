/** What people are told of the end of an action. Pure. */

import type { Outcome } from "../../addresses/calls/outcomes.js";
import {
  ADDRESS_FAILURES,
  abandonedItems,
  type EventMessage,
  failed,
  forgotten,
  normal,
  recordsText,
  settledText,
} from "../../reconcile/conditions/event-message.js";
import type { Step } from "./action-result.js";
import type { Action } from "./actions.js";
import type { Snapshot } from "./snapshot.js";

/** `undefined`: nothing worth an Event. */
export function eventMessageOf(snapshot: Snapshot, { action, outcome }: Step): EventMessage | undefined {
  if (outcome.is === "skipped" || outcome.is === "superseded") return undefined;
  if (outcome.is === "refused" || outcome.is === "unknown") {
    const lockKey = "ip" in action && action.ip !== undefined ? `${action.ip}: ` : "";
    return failed(FAILED[action.do], outcome.failure.problem, lockKey);
  }
  return succeeded(snapshot, action, outcome);
}

type Well = Extract<Outcome, { readonly is: "done" | "started" }>;

function succeeded(snapshot: Snapshot, action: Action, outcome: Well): EventMessage | undefined {
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
  { from, why, ip, node }: Extract<Action, { readonly do: "assign" }>,
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
  { ip, expected }: Extract<Action, { readonly do: "poll" }>,
): EventMessage | undefined {
  if (expected === undefined) return undefined;
  return normal("Assigned", "Assign", `${ip} is on ${verdictOf(expected)?.node.name ?? expected}`);
}

function settled({ result, why }: Extract<Action, { readonly do: "settle-creation" }>): EventMessage | undefined {
  return result.created === undefined ? undefined : settledText(result.created.ip, why);
}

const FAILED: Readonly<Record<Action["do"], readonly [reason: string, action: string]>> = {
  ...ADDRESS_FAILURES,
  "record-assignment": ["StatusNotWritten", "WriteStatus"],
  "append-to-spec": ["SpecNotWritten", "WriteSpec"],
  "mark-in-spec": ["StatusNotWritten", "WriteStatus"],
  "drop-from-spec": ["SpecNotWritten", "WriteSpec"],
  "annotate-node": ["AnnotationNotWritten", "Annotate"],
  "unannotate-node": ["AnnotationNotWritten", "Annotate"],
};
