/** Step 7: conditions and state, with words that help. */

import { type Condition, REASONS, type Reason, type RecordSetState } from "cdk8s-flipop/api";
import { contestedUntil, isContested } from "../../addresses/contested.js";
import { no, type PlannedCondition, unknown, yes } from "../../reconcile/conditions/planned-condition.js";
import type { Problem } from "../../reconcile/conditions/problem.js";
import { ttlOf } from "../../records/record-sequence.js";
import { clockTime } from "../../times.js";
import { isPaused } from "./deletion.js";
import type { Emptying } from "./emptying.js";
import { failureOf } from "./failure.js";
import type { Publication } from "./publication.js";
import type { Snapshot } from "./snapshot.js";
import type { Desired } from "./wish.js";

/** What the steps came to. */
export interface Decision {
  /** Absent: the spec names no record set. */
  readonly desired: Desired | undefined;
  readonly publication: Publication;
  readonly emptying: Emptying;
}

export function conditionsOf(snapshot: Snapshot, decision: Decision): readonly PlannedCondition[] {
  return [ready(snapshot), dnsReady(snapshot, decision), conflict(snapshot), reachable(snapshot)];
}

/** The Go operator's words, and what it would call an error. */
export function stateOf(
  snapshot: Snapshot,
  decision: Decision,
): { readonly state: RecordSetState; readonly error?: string } {
  const wrong = [ready(snapshot), dnsReady(snapshot, decision)].find(
    ({ status, reason }) => status === "False" && !CALM.has(reason),
  );
  if (wrong !== undefined) return { state: "error", error: wrong.message };
  return { state: dnsReady(snapshot, decision).status === "Unknown" ? "in-progress" : "active" };
}

/** Nothing is wrong with the resource or its provider: nodes are missing. */
const CALM: ReadonlySet<Reason> = new Set(["KeptLastKnown", "NoCandidate"]);

function ready(snapshot: Snapshot): PlannedCondition {
  const { problem, cachesComplete, passedOver, resource } = snapshot;
  const blocking = problem ?? failureOf(snapshot);
  if (blocking !== undefined) return no("Ready", blocking);
  if (!cachesComplete) return unknown("Ready");
  if (resource.spec.paused === true) return yes("Ready", "Paused", REASONS.Paused.meaning);
  if (passedOver.length > 0) return yes("Ready", "Invalid", `served, except for: ${passedOver.join("; ")}`);
  return yes("Ready", "Observed", "the nodes are observed, and the provider answers");
}

function dnsReady(snapshot: Snapshot, decision: Decision): PlannedCondition {
  const { problem, cachesComplete } = snapshot;
  const blocking = problem ?? failureOf(snapshot) ?? obstacle(snapshot);
  if (blocking !== undefined) return no("DNSReady", blocking);
  if (!cachesComplete || decision.desired === undefined) return unknown("DNSReady");
  return contents(snapshot, decision, decision.desired);
}

function obstacle({ lost, reverts, now, resource }: Snapshot): Problem | undefined {
  if (lost.length > 0) return { reason: "ClaimedByOther", message: lost.join("; ") };
  const until = isPaused(resource) ? undefined : contestedUntil(reverts, now);
  if (until === undefined) return undefined;
  return {
    reason: "ForeignWriter",
    message: `a foreign writer changes the record set: stop it; next try at ${clockTime(until)}`,
  };
}

/** What the record set holds, next to what it should. */
function contents(snapshot: Snapshot, { publication, emptying }: Decision, desired: Desired): PlannedCondition {
  const { recordName } = desired.recordSet;
  const { values, stale } = publication;
  if (values.length === 0 && snapshot.resource.spec.paused === true) return unknown("DNSReady");
  const kept = list(keptOf(snapshot, publication));
  if (emptying.what === "wait") {
    const message = `no node has the labels; ${recordName} keeps ${kept} until ${clockTime(emptying.until)}`;
    return no("DNSReady", { reason: "KeptLastKnown", message });
  }
  if (values.length === stale.length && emptying.what === "keep") return nobody(snapshot, publication, recordName);
  if (`${snapshot.resource.status.dns?.values}` !== `${values}`) return unknown("DNSReady");
  if (stale.length > 0) {
    const message = `no node has an address to replace ${kept}; ${recordName} keeps it`;
    return no("DNSReady", { reason: "KeptLastKnown", message });
  }
  return withTtl(snapshot, desired, `${recordName} ${held(publication)}`);
}

function nobody(snapshot: Snapshot, publication: Publication, recordName: string): PlannedCondition {
  const { addressless } = publication;
  const none = `no node that matches has an address of the type asked for (${list(addressless)})`;
  const why = addressless.length > 0 ? none : snapshot.refusals;
  const kept = keptOf(snapshot, publication);
  if (kept.length === 0) return no("DNSReady", { reason: "NoCandidate", message: `${why}; nothing is published` });
  return no("DNSReady", { reason: "KeptLastKnown", message: `${why}; ${recordName} keeps ${list(kept)}` });
}

/** Values without a node: as in the status, or as found if the operator has never written. */
function keptOf({ dns }: Snapshot, { stale, values }: Publication): readonly string[] {
  if (values.length > 0 || dns.records === "unknown") return stale;
  return dns.records.records.map(({ value }) => value).sort();
}

function held({ values, cut, addressless }: Publication): string {
  if (values.length === 0) return "is empty: no node has the labels";
  const addresses = values.length === 1 ? "1 address" : `${values.length} addresses`;
  const more = cut === 0 ? "" : `; ${cut} more than it may hold are left out`;
  const lacking = addressless.length === 0 ? "" : `; no address of the type asked for on ${list(addressless)}`;
  return `holds ${addresses}${more}${lacking}`;
}

function withTtl({ dns }: Snapshot, { recordSet }: Desired, message: string): PlannedCondition {
  const asked = recordSet.ttl ?? 0;
  const used = ttlOf(dns, recordSet);
  if (asked === 0 || used <= asked) return yes("DNSReady", "Observed", message);
  return yes("DNSReady", "TTLRaised", `${message}; TTL ${asked} is written as ${used}`);
}

function conflict({ lost, reverts, resource }: Snapshot): PlannedCondition {
  if (lost.length > 0) return yes("Conflict", "ClaimedByOther", lost.join("; "));
  if (isContested(reverts) && !isPaused(resource)) {
    return yes("Conflict", "ForeignWriter", "somebody else keeps undoing what is written to the record set");
  }
  return { type: "Conflict", status: "False", reason: "Observed", message: "no other resource claims the DNS name" };
}

/** Once read, it stays said until a call fails: a paused set makes none. */
function reachable(snapshot: Snapshot): PlannedCondition {
  const { dns, resource } = snapshot;
  const failure = failureOf(snapshot);
  const { records } = dns;
  if (failure !== undefined && UNREACHABLE.has(failure.reason)) return no("ProviderReachable", failure);
  const answered = failure !== undefined || records !== "unknown";
  if (answered || wasReachable(resource.status.conditions)) {
    return yes("ProviderReachable", "Observed", "the provider answers");
  }
  return unknown("ProviderReachable");
}

const UNREACHABLE: ReadonlySet<Reason> = new Set(["ProviderUnavailable", "RateLimited", "Unauthorized"]);

function wasReachable(conditions: readonly Condition[] = []): boolean {
  return conditions.some(({ type, status }) => type === "ProviderReachable" && status === "True");
}

/** The first few, and how many more. */
function list(words: readonly string[]): string {
  const shown = words.slice(0, LISTED).join(", ");
  return words.length > LISTED ? `${shown} and ${words.length - LISTED} more` : shown;
}

const LISTED = 20;
