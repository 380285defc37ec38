/** Conditions of a RoutedIP whose class works by Jobs. */

import { refText } from "../../../claims/claimant.js";
import type { JobDecision } from "../../../jobs/job-decision.js";
import { no, type PlannedCondition, unknown, yes } from "../../../reconcile/conditions/planned-condition.js";
import type { Problem } from "../../../reconcile/conditions/problem.js";
import type { Election } from "./election.js";
import { addressOf, type JobSnapshot } from "./snapshot.js";

export interface Verdicts {
  readonly decision: JobDecision;
  readonly conflict: Problem | undefined;
  readonly lost: boolean;
}

const LOST: Problem = {
  reason: "AddressUnknown",
  message:
    "the Job that was to create an address is gone and has reported none: set spec.routedIP to the address, or make a new RoutedIP",
};

export const CRD_TOO_OLD: Problem = {
  reason: "CRDTooOld",
  message: "the API server drops status.pendingCreation, so no address is created: apply the CRDs of this release",
};

export function conditionsOf(
  snapshot: JobSnapshot,
  election: Election,
  { decision, conflict, lost }: Verdicts,
): readonly PlannedCondition[] {
  const obstacle = snapshot.problem ?? conflict ?? obstacleToJobs(snapshot, decision, lost) ?? snapshot.ports.problem;
  const ready = obstacle === undefined ? readyOf(snapshot) : no("Ready", obstacle);
  const conflicted: PlannedCondition =
    conflict === undefined
      ? { type: "Conflict", status: "False", reason: "Observed", message: "no other resource claims its address" }
      : { type: "Conflict", status: "True", ...conflict };
  return [ready, assignedOf(snapshot, election, obstacle), firewallOf(snapshot), conflicted];
}

function obstacleToJobs({ crdTooOld, routed }: JobSnapshot, decision: JobDecision, lost: boolean): Problem | undefined {
  if (crdTooOld && addressOf(routed) === undefined) return CRD_TOO_OLD;
  if (lost) return LOST;
  return "problem" in decision ? decision.problem : undefined;
}

function readyOf({ cachesComplete, routed }: JobSnapshot): PlannedCondition {
  if (!cachesComplete) return unknown("Ready");
  if (routed.spec.paused === true) return yes("Ready", "Paused", "spec.paused is true: nothing but status is written");
  return yes("Ready", "Observed", "nothing stands in the way of the Jobs of its class");
}

function assignedOf(
  { routed, servesAt, refusals, problem }: JobSnapshot,
  { holder, target, grace }: Election,
  obstacle: Problem | undefined,
): PlannedCondition {
  if (problem !== undefined) return no("Assigned", problem);
  const serves = holder !== undefined && servesAt(holder.name);
  const noNode = { reason: "NoCandidate", message: `no node is a candidate: ${refusals}` } as const;
  if (serves && (grace?.state !== "over" || target !== undefined)) {
    return yes("Assigned", "Observed", `${routed.status.routedIP} is on ${holder.name}`);
  }
  if (serves)
    return yes("Assigned", "NoCandidate", `${routed.status.routedIP} is on ${holder.name}; ${noNode.message}`);
  if (target === undefined) return no("Assigned", noNode);
  return obstacle === undefined ? unknown("Assigned") : no("Assigned", obstacle);
}

function firewallOf({ firewall, problem, routed }: JobSnapshot): PlannedCondition {
  if (problem !== undefined) return no("FirewallReady", problem);
  if (typeof firewall === "object") return no("FirewallReady", firewall.failure);
  if (firewall === "pending" || routed.status.providerID === undefined) return unknown("FirewallReady");
  return yes("FirewallReady", "Observed", "the firewall Job of the class has opened its ports");
}

export function conflictOf({ claims, routed }: JobSnapshot): Problem | undefined {
  const ip = addressOf(routed);
  const claim = ip === undefined ? undefined : claims.addresses.get(ip);
  if (claim === undefined || claim.ours) return undefined;
  return { reason: "ClaimedByOther", message: `${ip}: ${refText(claim.winner)} has it (${claim.text})` };
}
