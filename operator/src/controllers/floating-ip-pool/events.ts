/** What people are told of the end of an action. Pure. */

import type { EventInput } from "../../kube/events.js";
import type { Action } from "./actions.js";
import type { ActionFailure, Outcome, Step } from "./outcomes.js";
import type { Snapshot } from "./snapshot.js";

export type Telling = Pick<EventInput, "type" | "reason" | "action" | "note">;

/** `undefined`: nothing worth an Event. */
export function tellingOf(snapshot: Snapshot, { action, outcome }: Step): Telling | undefined {
  if (outcome.is === "skipped") return undefined;
  if (outcome.is === "refused" || outcome.is === "unknown") return failed(action, outcome.failure);
  return succeeded(snapshot, action, outcome);
}

type Well = Extract<Outcome, { readonly is: "done" | "started" }>;

function succeeded(snapshot: Snapshot, action: Action, outcome: Well): Telling | undefined {
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
      return normal("RecordsChanged", "ChangeRecords", `${action.changes.fqdn}: ${recordsText(action.changes)}`);
    case "remove-finalizer":
      return abandoned(action.leftBehind, action.why);
    default:
      return undefined;
  }
}

function assigned(
  { verdictOf, pool }: Snapshot,
  { from, why, ip, node }: Extract<Action, { readonly do: "assign" }>,
  outcome: Well,
): Telling {
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
): Telling | undefined {
  if (expected === undefined) return undefined;
  return normal("Assigned", "Assign", `${ip} is on ${verdictOf(expected)?.node.name ?? expected}`);
}

function settled({ ip, why }: Extract<Action, { readonly do: "settle-creation" }>): Telling | undefined {
  return ip === undefined ? undefined : normal("CreationSettled", "Create", `${ip} is of this pool: ${why}`);
}

function recordsText({ before, after }: { readonly before: readonly string[]; readonly after: readonly string[] }) {
  const text = (values: readonly string[]) => (values.length === 0 ? "nothing" : values.join(", "));
  return `${text(before)} -> ${text(after)}`;
}

function abandoned(left: readonly string[], why: string): Telling | undefined {
  if (left.length === 0) return undefined;
  return warning("LeftBehind", "CleanUp", `${why}; still there, and yours to remove: ${left.join("; ")}`);
}

const FAILED: Readonly<Record<Action["do"], readonly [reason: string, action: string]>> = {
  assign: ["AssignFailed", "Assign"],
  unassign: ["UnassignFailed", "Unassign"],
  release: ["ReleaseFailed", "Release"],
  poll: ["AssignFailed", "Assign"],
  "create-address": ["CreateFailed", "Create"],
  "record-intent": ["CreateFailed", "Create"],
  "settle-creation": ["StatusNotWritten", "WriteStatus"],
  "record-assignment": ["StatusNotWritten", "WriteStatus"],
  "append-to-spec": ["SpecNotWritten", "WriteSpec"],
  "mark-in-spec": ["StatusNotWritten", "WriteStatus"],
  "drop-from-spec": ["SpecNotWritten", "WriteSpec"],
  "forget-created": ["StatusNotWritten", "WriteStatus"],
  "annotate-pool": ["AnnotationNotWritten", "Annotate"],
  "clear-forget-creation": ["AnnotationNotWritten", "Annotate"],
  "add-finalizer": ["FinalizerNotWritten", "WriteFinalizer"],
  "remove-finalizer": ["FinalizerNotWritten", "WriteFinalizer"],
  "record-dns": ["StatusNotWritten", "WriteStatus"],
  "annotate-node": ["AnnotationNotWritten", "Annotate"],
  "unannotate-node": ["AnnotationNotWritten", "Annotate"],
  "read-records": ["RecordsFailed", "ReadRecords"],
  "apply-records": ["RecordsFailed", "ChangeRecords"],
};

function failed(action: Action, { problem }: ActionFailure): Telling {
  const [reason, verb] = FAILED[action.do];
  const known = problem.reason === "CRDTooOld" ? problem.reason : reason;
  const subject = "ip" in action && action.ip !== undefined ? `${action.ip}: ` : "";
  return warning(known, verb, `${subject}${problem.message}`);
}

function normal(reason: string, action: string, note: string): Telling {
  return { type: "Normal", reason, action, note };
}

function warning(reason: string, action: string, note: string): Telling {
  return { type: "Warning", reason, action, note };
}
