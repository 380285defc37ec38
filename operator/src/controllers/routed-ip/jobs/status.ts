/** The status of a RoutedIP whose class works by Jobs, beside what its Jobs have reached. Pure. */

import type { RoutedIPStatus } from "cdk8s-flipop/api";
import type { JobDecision } from "../../../jobs/job-decision.js";
import { timestamp } from "../../../times.js";
import type { Election } from "./election.js";
import { addressOf, type Change, type JobSnapshot } from "./snapshot.js";

export function statusOf(snapshot: JobSnapshot, { grace, holder }: Election, decision: JobDecision): Change {
  const { routed, ports, problem, now } = snapshot;
  const { status } = routed;
  const since = grace !== undefined && grace.state !== "matches" ? timestamp(grace.since) : undefined;
  const state = stateOf(snapshot, { grace, holder }, decision);
  return {
    ports: problem === undefined && ports.ports.length > 0 ? ports.ports : status.ports,
    graceSince: since,
    state,
    since: state === status.state ? status.since : timestamp(now),
    retryAt: decision.do === "wait" ? retryAtOf(snapshot) : undefined,
    ...degradedReasonOf(decision, grace?.state === "protected"),
  };
}

function stateOf(
  snapshot: JobSnapshot,
  election: Pick<Election, "grace" | "holder">,
  decision: JobDecision,
): RoutedIPStatus["state"] {
  switch (decision.do) {
    case "give-up":
    case "retry":
      return "error";
    case "create":
      return "in-progress";
    case "wait":
      if (isBetweenTries(snapshot)) return "error";
      // What the last Job reached is on record: while it goes, nothing is under way.
      return snapshot.job?.state.is === "ending" ? restingState(snapshot, election) : "in-progress";
    default:
      return restingState(snapshot, election);
  }
}

/** One Job has failed, and the next one has not begun. */
function isBetweenTries({ failure, job }: JobSnapshot): boolean {
  return failure !== undefined && (job === undefined || job.state.is === "ending");
}

function retryAtOf(snapshot: JobSnapshot): string | undefined {
  const { retry } = snapshot;
  return retry !== undefined && isBetweenTries(snapshot) ? timestamp(retry.retryAt) : undefined;
}

function restingState(
  { routed, servesAt }: JobSnapshot,
  { grace, holder }: Pick<Election, "grace" | "holder">,
): RoutedIPStatus["state"] {
  if (routed.status.providerID === undefined) return addressOf(routed) === undefined ? undefined : "unassigned";
  const serves = holder !== undefined && servesAt(holder.name);
  return grace?.state === "over" && !serves ? "no-match" : "active";
}

function degradedReasonOf(decision: JobDecision, inGrace: boolean): Change {
  const problem = "problem" in decision ? decision.problem : undefined;
  return { reason: inGrace ? "InGrace" : problem?.reason, error: problem?.message };
}
