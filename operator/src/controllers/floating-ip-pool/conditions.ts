/** Step 13: conditions, with words that help. */

import { isObserved } from "../../addresses/address-set.js";
import { coolOffText } from "../../addresses/assignments.js";
import { conflictOf, dnsReadyOf, type Findings, knownReason, readyOf } from "../../addresses/conditions.js";
import { no, type PlannedCondition, unknown, yes } from "../../reconcile/conditions/planned-condition.js";
import type { Problem } from "../../reconcile/conditions/problem.js";
import type { Snapshot } from "./snapshot.js";

export function conditionsOf(snapshot: Snapshot, findings: Findings): readonly PlannedCondition[] {
  const dns = dnsReadyOf(snapshot, findings);
  return [
    readyOf(snapshot, findings),
    isObserved(snapshot) ? fulfilled(snapshot, findings) : unknown("Fulfilled"),
    ...(dns === undefined ? [] : [dns]),
    conflictOf(snapshot, findings),
    reachable(snapshot),
  ];
}

/** With a condition of the last status that does not apply any more: its old value is not true any more. */
export function withOutlived(
  { pool: { status } }: Pick<Snapshot, "pool">,
  planned: readonly PlannedCondition[],
): readonly PlannedCondition[] {
  const known = planned.some(({ type }) => type === "DNSReady");
  const seen = status.conditions?.some(({ type }) => type === "DNSReady") === true;
  if (known || !seen) return planned;
  return [...planned, { ...unknown("DNSReady"), message: "spec has no dnsRecordSet" }];
}

function fulfilled(snapshot: Snapshot, findings: Findings): PlannedCondition {
  const { desired, addresses, creation } = findings;
  const active = addresses.filter(({ status }) => status.state === "active").length;
  const count = `${active} of ${desired.desiredCount} addresses are active`;
  if (active >= desired.desiredCount) return yes("Fulfilled", "Observed", count);
  const cause = creation ?? obstacle(snapshot, findings);
  if (cause !== undefined) return no("Fulfilled", { ...cause, message: `${count}: ${cause.message}` });
  return { ...unknown("Fulfilled"), reason: "UnderWay", message: `${count}, the others are on their way` };
}

function obstacle(snapshot: Snapshot, { addresses, assignmentPlan, desired }: Findings): Problem | undefined {
  const failed = addresses.find(({ status }) => status.state === "error");
  if (failed !== undefined) {
    return { reason: knownReason(failed.status.reason), message: `${failed.ip}: ${failed.status.error ?? "failed"}` };
  }
  if (snapshot.candidates.length === 0) return { reason: "NoCandidate", message: snapshot.refusals };
  if (snapshot.providerFailure !== undefined) return snapshot.providerFailure;
  if (assignmentPlan.cooling.length > 0) {
    const message = coolOffText(assignmentPlan, snapshot.now);
    return { reason: "CoolingOff", message };
  }
  const [elsewhere] = assignmentPlan.elsewhere;
  if (elsewhere !== undefined) {
    const message = `${elsewhere.address.ip} is in region ${elsewhere.facts?.region}, where no candidate is free`;
    return { reason: "WrongRegion", message };
  }
  const idle = addresses.some(({ status }) => status.state === "unassigned" || status.state === "no-match");
  const few = `${desired.desiredCount} nodes are needed; ${snapshot.refusals}`;
  return idle ? { reason: "TooFewCandidates", message: few } : undefined;
}

function reachable({ providerFailure, inventory }: Snapshot): PlannedCondition {
  if (providerFailure !== undefined) return no("ProviderReachable", providerFailure);
  if (!inventory.complete) return unknown("ProviderReachable");
  return yes("ProviderReachable", "Observed", "the provider answers");
}
