/** Conditions of a set of addresses that each kind shows. */

import { REASONS, type Reason } from "cdk8s-flipop/api";
import { refText } from "../claims/claimant.js";
import { no, type PlannedCondition, unknown, yes } from "../reconcile/conditions/planned-condition.js";
import type { Problem } from "../reconcile/conditions/problem.js";
import { reportedRetry } from "../reconcile/retries/reported-retry.js";
import { isDue } from "../reconcile/retries/retry-schedule.js";
import { ttlOf } from "../records/record-sequence.js";
import { clockTime } from "../times.js";
import { type AddressSnapshot, isObserved, isPaused } from "./address-set.js";
import type { PlannedAddress } from "./address-status.js";
import type { AssignmentPlan } from "./assignments.js";
import { contestedUntil, isContested } from "./contested.js";
import { type Desired, dnsProviderOf } from "./desired.js";

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

export function readyOf(snapshot: AddressSnapshot, findings: Findings): PlannedCondition {
  const { problem, providerFailure, set } = snapshot;
  const { desired, addresses, unsettled } = findings;
  const blocking = problem ?? providerFailure ?? rejected(desired) ?? uncreatable(snapshot, desired) ?? unsettled;
  if (blocking !== undefined) return no("Ready", blocking);
  if (!isObserved(snapshot)) return unknown("Ready");
  const failed = addresses.find(({ status }) => status.state === "error" && status.reason !== "ClaimedByOther");
  if (failed !== undefined) {
    const message = `${failed.ip}: ${failed.status.error ?? "its last action failed"}`;
    return no("Ready", { reason: knownReason(failed.status.reason), message });
  }
  if (set.paused) return yes("Ready", "Paused", REASONS.Paused.meaning);
  return served(snapshot, findings);
}

/** All that the spec asks for, except for parts that are ignored without harm. */
function served(
  { passedOver = [] }: AddressSnapshot,
  { desired: { duplicates }, heldBack }: Pick<Findings, "desired" | "heldBack">,
): PlannedCondition {
  if (heldBack.length > 0) return yes("Ready", "OwnershipInferred", heldBackText(heldBack));
  if (passedOver.length > 0) return yes("Ready", "Invalid", `served, except for: ${passedOver.join("; ")}`);
  if (duplicates.length === 0) return yes("Ready", "Observed", IN_ORDER);
  return yes("Ready", "DuplicateAddress", `ips lists ${duplicates.join(", ")} twice; each counts once`);
}

function heldBackText(ips: readonly string[]): string {
  return `served; ${ips.join(", ")} is not wanted any more and not released: no answer says that this resource created it; if it is not used elsewhere, release it at the provider`;
}

const IN_ORDER = "the spec is valid, and the provider answers; condition Fulfilled shows the addresses";

function rejected({ rejected: texts, family }: Desired): Problem | undefined {
  if (texts.length === 0) return undefined;
  const shown = texts.map((text) => `"${text}"`).join(", ");
  return { reason: "Invalid", message: `ips holds ${shown}, not ${family}: correct or remove; the others are served` };
}

/** The cloud refused the spec as wrong: that holds while the operator tries again. */
function uncreatable({ memory: { creationFailure } }: AddressSnapshot, { missing }: Desired): Problem | undefined {
  if (creationFailure?.ofSpec !== true || missing === 0) return undefined;
  const { reason, message } = creationFailure;
  return { reason, message };
}

/** `undefined`: the spec has no record set. */
export function dnsReadyOf(snapshot: AddressSnapshot, { published }: Findings): PlannedCondition | undefined {
  const { dns, set } = snapshot;
  if (set.dnsRecordSet === undefined) return undefined;
  const failure = dnsFailure(snapshot);
  if (failure !== undefined) return no("DNSReady", failure);
  if (dns === undefined || !isObserved(snapshot)) return unknown("DNSReady");
  const obstacleToDns = dnsObstacle(snapshot);
  if (obstacleToDns !== undefined) return no("DNSReady", obstacleToDns);
  return contents(snapshot, published);
}

/** What the record set holds, next to what it should. */
function contents(snapshot: AddressSnapshot, published: readonly string[]): PlannedCondition {
  const { dnsRecordSet, writtenDns } = snapshot.set;
  const { recordName = "" } = dnsRecordSet ?? {};
  const written = (writtenDns?.values ?? []).join(", ");
  if (published.length === 0) {
    const message = `no address is active; ${recordName} keeps ${written || "what it has"}`;
    return no("DNSReady", { reason: "KeptLastKnown", message });
  }
  if (written !== published.join(", ")) return unknown("DNSReady");
  return withTtl(snapshot, `${recordName} holds ${written}`);
}

function withTtl({ dns, set }: AddressSnapshot, message: string): PlannedCondition {
  const asked = set.dnsRecordSet?.ttl ?? 0;
  const used = ttlOf(dns, set.dnsRecordSet);
  if (asked === 0 || used <= asked) return yes("DNSReady", "Observed", message);
  return yes("DNSReady", "TTLRaised", `${message}; TTL ${asked} is written as ${used}`);
}

/** A paused resource makes no call: none would show that an old failure is over. */
function dnsFailure({ dns, set }: AddressSnapshot): Problem | undefined {
  return isPaused(set) ? undefined : dns?.failure;
}

/** When the operator tries again what failed for the whole resource. */
export function retryOf(snapshot: AddressSnapshot, missing: number): string | undefined {
  const { memory, dns, providerFailure, providerRetryAt, set, now } = snapshot;
  const { accountRetryAt, retryAt = accountRetryAt } = memory;
  const failed = isPaused(set) ? [] : [...(retryAt?.values() ?? [])];
  const waits = [
    ...failed.filter((at) => !isDue(at, now)),
    missing > 0 ? memory.creationFailure?.retryAt : undefined,
    dnsFailure(snapshot) && dns?.retryAt,
    providerFailure && providerRetryAt,
  ];
  return reportedRetry(waits, set.retryAt, now);
}

function dnsObstacle({ dns, set, memory, now }: AddressSnapshot): Problem | undefined {
  const name = dnsProviderOf(set);
  if (dns?.capabilities === undefined) {
    return {
      reason: "UnknownProvider",
      message: `provider "${name}" is not set up, or has no DNS: correct it, or give the operator its token`,
    };
  }
  if (dns.claim?.ours === false) return { reason: "ClaimedByOther", message: dns.claim.text };
  const until = isPaused(set) ? undefined : contestedUntil(memory.reverts.get("records"), now);
  if (until === undefined) return undefined;
  return {
    reason: "ForeignWriter",
    message: `a foreign writer changes the record set: stop it; next try at ${clockTime(until)}`,
  };
}

export function conflictOf({ dns, memory, set }: AddressSnapshot, { desired }: Findings): PlannedCondition {
  const lost = desired.addresses.flatMap(({ ip, claim }) =>
    claim === undefined || claim.ours ? [] : [`${ip}: ${refText(claim.winner)} has it (${claim.text})`],
  );
  const name = dns?.claim?.ours === false ? [`the DNS name: ${dns.claim.text}`] : [];
  const claims = [...lost, ...name];
  if (claims.length > 0) return yes("Conflict", "ClaimedByOther", claims.join("; "));
  const reverted = [...memory.reverts].filter(([, times]) => isContested(times)).map(([what]) => what);
  // A paused resource writes nothing that could be undone.
  if (reverted.length > 0 && !isPaused(set)) {
    return yes("Conflict", "ForeignWriter", `a foreign writer keeps reverting ${reverted.join(", ")}: stop it`);
  }
  return {
    type: "Conflict",
    status: "False",
    reason: "Observed",
    message: "no other resource claims its addresses or DNS name",
  };
}

/** A word of an address's status as the reason of a condition. */
export function knownReason(word: string | undefined): Reason {
  return word !== undefined && Object.hasOwn(REASONS, word) ? (word as Reason) : "ProviderUnavailable";
}
