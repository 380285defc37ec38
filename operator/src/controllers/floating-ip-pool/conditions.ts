/** Step 13: conditions, with words that help. */

import { REASONS, type Reason } from "cdk8s-flipop/api";
import type { PlannedAddress } from "../../addresses/address-status.js";
import { type AssignmentPlan, coolOffText } from "../../addresses/assignments.js";
import { contestedUntil, isContested } from "../../addresses/contested.js";
import { type Desired, dnsProviderOf } from "../../addresses/desired.js";
import { refText } from "../../claims/claimant.js";
import { no, type PlannedCondition, unknown, yes } from "../../reconcile/conditions/planned-condition.js";
import type { Problem } from "../../reconcile/conditions/problem.js";
import { reportedRetry } from "../../reconcile/retries/reported-retry.js";
import { ttlOf } from "../../records/record-sequence.js";
import { clockTime } from "../../times.js";
import { isObserved, isPaused, type Snapshot } from "./snapshot.js";

/** What the conditions are made of. */
export interface Findings {
  readonly desired: Desired;
  readonly addresses: readonly PlannedAddress[];
  readonly assignmentPlan: AssignmentPlan;
  readonly creation: Problem | undefined;
  /** A creation whose answer was lost, and whose end is not known. */
  readonly unsettled: Problem | undefined;
  /** Addresses that are not wanted, and not released. */
  readonly heldBack: readonly string[];
  /** Addresses to publish. */
  readonly published: readonly string[];
}

export function conditionsOf(snapshot: Snapshot, findings: Findings): readonly PlannedCondition[] {
  const observed = isObserved(snapshot);
  const dns = snapshot.pool.spec.dnsRecordSet === undefined ? [] : [dnsReady(snapshot, findings, observed)];
  return [
    ready(snapshot, findings, observed),
    observed ? fulfilled(snapshot, findings) : unknown("Fulfilled"),
    ...dns,
    conflict(snapshot, findings),
    reachable(snapshot),
  ];
}

/** With a condition of the last status that does not apply any more: nobody may read the old one as true. */
export function withOutlived(
  { pool: { status } }: Pick<Snapshot, "pool">,
  planned: readonly PlannedCondition[],
): readonly PlannedCondition[] {
  const known = planned.some(({ type }) => type === "DNSReady");
  const seen = status.conditions?.some(({ type }) => type === "DNSReady") === true;
  if (known || !seen) return planned;
  return [...planned, { ...unknown("DNSReady"), message: "spec has no dnsRecordSet" }];
}

function ready(snapshot: Snapshot, findings: Findings, observed: boolean): PlannedCondition {
  const { problem, providerFailure, pool } = snapshot;
  const { desired, addresses, unsettled } = findings;
  const blocking = problem ?? providerFailure ?? rejected(desired) ?? uncreatable(snapshot, desired) ?? unsettled;
  if (blocking !== undefined) return no("Ready", blocking);
  if (!observed) return unknown("Ready");
  const failed = addresses.find(({ status }) => status.state === "error" && status.reason !== "ClaimedByOther");
  if (failed !== undefined) {
    const message = `${failed.ip}: ${failed.status.error ?? "its last action failed"}`;
    return no("Ready", { reason: knownReason(failed.status.reason), message });
  }
  if (pool.spec.paused === true) return yes("Ready", "Paused", REASONS.Paused.meaning);
  return served(snapshot, findings);
}

/** All that the pool asks for, but for what is left out of it without harm. */
function served(
  { passedOver = [] }: Snapshot,
  { desired: { duplicates }, heldBack }: Pick<Findings, "desired" | "heldBack">,
): PlannedCondition {
  if (heldBack.length > 0) return yes("Ready", "OwnershipInferred", heldBackText(heldBack));
  if (passedOver.length > 0) return yes("Ready", "Invalid", `served, but for: ${passedOver.join("; ")}`);
  if (duplicates.length === 0) return yes("Ready", "Observed", IN_ORDER);
  return yes("Ready", "DuplicateAddress", `ips lists ${duplicates.join(", ")} twice; each counts once`);
}

function heldBackText(ips: readonly string[]): string {
  return `served; ${ips.join(", ")} is not wanted any more and not released: no answer says that this resource created it; if nobody else uses it, release it at the provider`;
}

const IN_ORDER = "the spec is valid, and the provider answers; Fulfilled tells of addresses";

function rejected({ rejected: texts, family }: Desired): Problem | undefined {
  if (texts.length === 0) return undefined;
  const shown = texts.map((text) => `"${text}"`).join(", ");
  return { reason: "Invalid", message: `ips holds ${shown}, not ${family}: correct or remove; the others are served` };
}

/** The cloud has called the spec senseless; so it stays while that is tried again. */
function uncreatable({ memory: { creationFailure } }: Snapshot, { missing }: Desired): Problem | undefined {
  if (creationFailure?.ofSpec !== true || missing === 0) return undefined;
  const { reason, message } = creationFailure;
  return { reason, message };
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

function dnsReady(snapshot: Snapshot, { published }: Findings, observed: boolean): PlannedCondition {
  const { dns } = snapshot;
  const failure = dnsFailure(snapshot);
  if (failure !== undefined) return no("DNSReady", failure);
  if (dns === undefined || !observed) return unknown("DNSReady");
  const obstacleToDns = dnsObstacle(snapshot);
  if (obstacleToDns !== undefined) return no("DNSReady", obstacleToDns);
  return contents(snapshot, published);
}

/** What the record set holds, next to what it should. */
function contents(snapshot: Snapshot, published: readonly string[]): PlannedCondition {
  const { spec, status } = snapshot.pool;
  const { recordName = "" } = spec.dnsRecordSet ?? {};
  const written = (status.dns?.values ?? []).join(", ");
  if (published.length === 0) {
    const message = `no address is active; ${recordName} keeps ${written || "what it has"}`;
    return no("DNSReady", { reason: "KeptLastKnown", message });
  }
  if (written !== published.join(", ")) return unknown("DNSReady");
  return withTtl(snapshot, `${recordName} holds ${written}`);
}

function withTtl({ dns, pool }: Snapshot, message: string): PlannedCondition {
  const asked = pool.spec.dnsRecordSet?.ttl ?? 0;
  const used = ttlOf(dns, pool.spec.dnsRecordSet);
  if (asked === 0 || used <= asked) return yes("DNSReady", "Observed", message);
  return yes("DNSReady", "TTLRaised", `${message}; TTL ${asked} is written as ${used}`);
}

/** A paused pool makes no call: none would show that an old failure is over. */
function dnsFailure({ dns, pool }: Snapshot): Problem | undefined {
  return isPaused(pool) ? undefined : dns?.failure;
}

/** When the operator tries again what failed for the whole resource. */
export function retryOf(snapshot: Snapshot, missing: number): string | undefined {
  const { memory, dns, providerFailure, providerRetryAt, pool, now } = snapshot;
  const waits = [
    missing > 0 ? memory.creationFailure?.retryAt : undefined,
    dnsFailure(snapshot) && dns?.retryAt,
    providerFailure && providerRetryAt,
  ];
  return reportedRetry(waits, pool.status.retryAt, now);
}

function dnsObstacle({ dns, pool, memory, now }: Snapshot): Problem | undefined {
  const name = dnsProviderOf(pool.spec);
  if (dns?.capabilities === undefined) {
    return {
      reason: "UnknownProvider",
      message: `provider "${name}" is not set up, or has no DNS: correct it, or give the operator its token`,
    };
  }
  if (dns.claim?.ours === false) return { reason: "ClaimedByOther", message: dns.claim.text };
  const until = isPaused(pool) ? undefined : contestedUntil(memory.reverts.get("records"), now);
  if (until === undefined) return undefined;
  return {
    reason: "ForeignWriter",
    message: `a foreign writer changes the record set: stop it; next try at ${clockTime(until)}`,
  };
}

function conflict({ dns, memory }: Snapshot, { desired }: Findings): PlannedCondition {
  const lost = desired.addresses.flatMap(({ ip, claim }) =>
    claim === undefined || claim.ours ? [] : [`${ip}: ${refText(claim.winner)} has it (${claim.text})`],
  );
  const name = dns?.claim?.ours === false ? [`the DNS name: ${dns.claim.text}`] : [];
  const claims = [...lost, ...name];
  if (claims.length > 0) return yes("Conflict", "ClaimedByOther", claims.join("; "));
  const reverted = [...memory.reverts].filter(([, times]) => isContested(times)).map(([what]) => what);
  if (reverted.length > 0) {
    return yes("Conflict", "ForeignWriter", `a foreign writer keeps reverting ${reverted.join(", ")}: stop it`);
  }
  return {
    type: "Conflict",
    status: "False",
    reason: "Observed",
    message: "no other resource claims its addresses or DNS name",
  };
}

function reachable({ providerFailure, inventory }: Snapshot): PlannedCondition {
  if (providerFailure !== undefined) return no("ProviderReachable", providerFailure);
  if (!inventory.complete) return unknown("ProviderReachable");
  return yes("ProviderReachable", "Observed", "the provider answers");
}

/** A word of an address's status as the reason of a condition. */
export function knownReason(word: string | undefined): Reason {
  return word !== undefined && Object.hasOwn(REASONS, word) ? (word as Reason) : "ProviderUnavailable";
}
