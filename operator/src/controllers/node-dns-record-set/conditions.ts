/** Conditions and state, and the failure of the DNS provider with the time of the next try. Pure. */

import type { Condition, Reason, RecordSetState } from "cdk8s-flipop/api";
import { isRepeatedlyUndone, undonePauseUntil } from "../../addresses/undone-writes.js";
import { timeOf } from "../../clock.js";
import { probesDoubted } from "../../health/probes-for-controllers.js";
import { stopCondition } from "../../health/stopped-by-mass-failure.js";
import type { Verdict } from "../../match/checks.js";
import { isSystemTaint } from "../../match/node-facts.js";
import { addressMessages } from "../../messages/addresses.js";
import { claimMessages } from "../../messages/claims.js";
import { healthMessages } from "../../messages/health.js";
import type { Problem } from "../../messages/message.js";
import { providerMessages } from "../../messages/provider.js";
import { recordRemarks } from "../../messages/record-remarks.js";
import { recordMessages } from "../../messages/records.js";
import { typeOf } from "../../providers/diff.js";
import { no, type PlannedCondition, unknown, yes } from "../../reconcile/conditions.js";
import { reportedRetry } from "../../reconcile/retries.js";
import {
  beingChanged,
  heldInstead,
  inPlace,
  withFormerName,
  writtenValues,
} from "../../records/dns-ready-condition.js";
import { addressTypeOf, isPrivate, publishedText } from "../../records/node-addresses.js";
import { fullNameOf } from "../../records/record-plan.js";
import { omitUndefined } from "../../values.js";
import { type Emptying, isDeleting, isPaused } from "./deletion.js";
import { longUnready } from "./long-unready-pods.js";
import type { Desired, Publication } from "./published-nodes.js";
import type { Snapshot } from "./resource.js";

/** What the steps came to. */
export interface Decision {
  /** Absent: the spec names no record set. */
  readonly desired: Desired | undefined;
  readonly publication: Publication;
  readonly emptying: Emptying;
}

export function conditionsOf(snapshot: Snapshot, decision: Decision): readonly PlannedCondition[] {
  const own = [accepted(snapshot), dnsReady(snapshot, decision), conflict(snapshot), reachable(snapshot)];
  const { conditions } = snapshot.resource.status;
  const { massFailure } = decision.publication;
  const stop = stopCondition(conditions, massFailure && healthMessages.massFailure(massFailure));
  return [...own, ...probesDoubted(snapshot, conditions), ...stop];
}

/** The Go operator's words, and what it would call an error. */
export function stateOf(
  snapshot: Snapshot,
  decision: Decision,
): { readonly state: RecordSetState; readonly error?: string } {
  const wrong = [accepted(snapshot), dnsReady(snapshot, decision)].find(
    ({ status, reason }) => status === "False" && !CALM.has(reason),
  );
  if (wrong !== undefined) return { state: "error", error: wrong.message };
  const { status, reason } = dnsReady(snapshot, decision);
  return { state: status === "Unknown" || reason === "Paused" ? "in-progress" : "active" };
}

/** Nothing is wrong with the resource or its provider: nodes are missing. */
const CALM: ReadonlySet<Reason> = new Set(["KeptLastKnown", "NoCandidate", "Paused"]);

function accepted(snapshot: Snapshot): PlannedCondition {
  const { problem, cachesComplete, passedOver, resource } = snapshot;
  const blocking = problem ?? failureOf(snapshot);
  if (blocking !== undefined) return no("Accepted", blocking);
  if (!cachesComplete) return unknown("Accepted");
  if (resource.spec.paused === true) return yes("Accepted", addressMessages.paused());
  if (passedOver.length > 0) return yes("Accepted", addressMessages.partlyServed({ ignored: passedOver }));
  return yes("Accepted", recordMessages.nodesObserved());
}

function dnsReady(snapshot: Snapshot, decision: Decision): PlannedCondition {
  const { problem, cachesComplete } = snapshot;
  const blocking = problem ?? failureOf(snapshot) ?? obstacle(snapshot);
  if (blocking !== undefined) return blocked(snapshot, decision, no("DNSReady", blocking));
  if (isDeleting(snapshot.resource)) return unknown("DNSReady", recordMessages.beingDeleted());
  if (!cachesComplete || decision.desired === undefined) return unknown("DNSReady");
  return contents(snapshot, decision, decision.desired);
}

function blocked(
  { dns, resource, problem, lacksProvider = false }: Snapshot,
  { desired, publication }: Decision,
  condition: PlannedCondition,
): PlannedCondition {
  const isFollowed = (problem === undefined || lacksProvider) && !isDeleting(resource) && !isPaused(resource);
  if (desired === undefined || !isFollowed) return condition;
  const { recordSet: wanted, provider } = desired;
  const { values, stale } = publication;
  const alive = values.length > stale.length ? values : [];
  return withFormerName(condition, { dns, last: resource.status.dns, wanted, provider, values: alive });
}

function obstacle(snapshot: Snapshot): Problem | undefined {
  if (snapshot.dns.refused !== undefined) return snapshot.dns.refused;
  const { reverts, now, resource } = snapshot;
  const lost = lostName(snapshot);
  if (lost !== undefined) return lost;
  const until = isPaused(resource) ? undefined : undonePauseUntil(reverts, now);
  return until === undefined ? undefined : recordMessages.foreignWriter({ until });
}

function lostName({ lost, resource, dns }: Snapshot): Problem | undefined {
  if (lost.length === 0) return undefined;
  const name = fullNameOf(dns, resource.spec.dnsRecordSet);
  return claimMessages.several({
    causes: lost.map((owned) => claimMessages.name({ name, ...owned })),
  });
}

/** What the record set holds, next to what it should. */
function contents(snapshot: Snapshot, { publication, emptying }: Decision, desired: Desired): PlannedCondition {
  const name = fullNameOf(snapshot.dns, desired.recordSet);
  const { values, stale, cordoned } = publication;
  if (values.length === 0 && snapshot.resource.spec.paused === true) return no("DNSReady", addressMessages.paused());
  const kept = { name, values: keptOf(snapshot, publication) };
  if (emptying.what === "wait") {
    const { refusals } = snapshot;
    const until = { until: emptying.until, label: labelOf(snapshot) };
    return no("DNSReady", recordMessages.noneWithLabels({ ...kept, ...until, refusals }));
  }
  if (values.length === stale.length && emptying.what === "keep") return unserved(snapshot, publication, desired);
  const { recordSet: wanted, provider } = desired;
  const written = writtenValues(snapshot.resource.status.dns, { wanted, provider });
  if (`${written}` !== `${values}`) return unwritten(snapshot, desired, written);
  const instead = heldInstead(snapshot.dns, values, isPaused(snapshot.resource));
  if (instead !== undefined) return unwritten(snapshot, desired, instead);
  const irreplaceable = [...stale, ...cordoned].sort();
  if (irreplaceable.length === 0) return held(snapshot, desired, publication);
  const { refusals } = snapshot;
  return no("DNSReady", recordMessages.noReplacement({ name, values: irreplaceable, refusals }));
}

function unwritten(
  { resource, dns }: Snapshot,
  { recordSet }: Desired,
  instead: readonly string[] | undefined,
): PlannedCondition {
  if (isPaused(resource)) return no("DNSReady", addressMessages.paused());
  return beingChanged(dns, recordSet, instead);
}

function labelOf({ resource: { spec } }: Snapshot): string {
  return spec.match?.nodeLabel ?? "";
}

function unserved(snapshot: Snapshot, publication: Publication, desired: Desired): PlannedCondition {
  const { addressless, offered } = publication;
  const { refusals } = snapshot;
  const values = keptOf(snapshot, publication);
  const name = fullNameOf(snapshot.dns, desired.recordSet);
  const wanted = publishedText(desired);
  const facts = { name, values, addressless, wanted, refusals, ...omitUndefined({ offered }) };
  return no("DNSReady", values.length === 0 ? recordMessages.noNode(facts) : recordMessages.noNodeKept(facts));
}

/** Values without a node: as in the status, or as found if the operator has never written. */
function keptOf({ dns }: Snapshot, { stale, values }: Publication): readonly string[] {
  if (values.length > 0 || dns.records === "unknown") return stale;
  return dns.records.records.map(({ value }) => value).sort();
}

function held(snapshot: Snapshot, desired: Desired, publication: Publication): PlannedCondition {
  const { dns, leftOut } = snapshot;
  const { recordSet } = desired;
  const { entries, values, cut, addressless } = publication;
  if (dns.kept !== undefined) return yes("DNSReady", dns.kept);
  const content = {
    name: fullNameOf(dns, recordSet),
    types: (values.length === 0 ? desired.types : [...new Set(values.map(typeOf))].sort()).join(" and "),
    count: values.length,
    cut,
    addressless,
    wanted: publishedText(desired),
    leftOut: leftOut(new Set(entries.map(({ nodeName }) => nodeName))),
    kept: keptIn(snapshot, publication),
    isPrivate: values.length > 0 && values.every(isPrivate),
  };
  const named = { ...recordSet, provider: desired.provider, keepsTtl: true };
  const planned = inPlace(dns, named, recordMessages.nodesPublished(content));
  const { said, status } = planned;
  if (said === undefined || status !== "True") return planned;
  return yes("DNSReady", remarked(snapshot, { publication, desired, isPrivate: content.isPrivate }, said));
}

function remarked(
  snapshot: Snapshot,
  { publication, desired, isPrivate }: Pick<Decision, "publication"> & Remarkable,
  said: Problem,
): Problem {
  const { shared } = publication;
  const addressType = addressTypeOf(desired);
  const isNoted = said.reason === "Observed" && shared.length > 0;
  const noted = isNoted ? recordRemarks.sharedAddresses({ cause: said, shared, addressType }) : said;
  const cause = noted.reason === "Observed" ? withFamilies({ publication, desired }, noted) : noted;
  if (isPrivate) return recordRemarks.privateAddresses({ cause, addressType });
  return cause.reason === "Observed" ? withLeftOut(snapshot, publication, cause) : cause;
}

/** Nodes that are left out, and that the author may have meant. */
function withLeftOut(snapshot: Snapshot, publication: Publication, cause: Problem): Problem {
  const unready = longUnready(snapshot, publication);
  if (unready !== undefined) return recordRemarks.unreadyPods({ cause, ...unready });
  return leavesTaintedOut(snapshot) ? recordRemarks.taintedNodes({ cause }) : cause;
}

/** Without labels and pods, the taints alone say which nodes are meant. */
function leavesTaintedOut({ resource: { spec }, meant }: Snapshot): boolean {
  const { nodeLabel, podLabel, podNamespace } = spec.match ?? {};
  if (!(nodeLabel || podLabel || podNamespace)) return false;
  const isTaintedOnly = ({ node, refusals }: Verdict) =>
    refusals.length === 1 && refusals[0]?.reason === "Tainted" && !node.taints.some(isSystemTaint);
  return meant().some(isTaintedOnly);
}

/** Names the family that the spec asks for and that no node has. */
function withFamilies(
  { publication, desired }: Pick<Decision, "publication"> & Pick<Remarkable, "desired">,
  cause: Problem,
) {
  const { values } = publication;
  const written = new Set(values.map(typeOf));
  const at = desired.types.findIndex((type) => !written.has(type));
  const [family, type] = [desired.families[at], desired.types[at]];
  if (family === undefined || type === undefined || values.length === 0) return cause;
  return recordRemarks.missingFamily({
    cause,
    family,
    type,
    wanted: publishedText({ ...desired, families: [family] }),
  });
}

interface Remarkable {
  readonly desired: Desired;
  readonly isPrivate: boolean;
}

/** Published nodes that do not match, with the time until which they stay: the end of their grace, or of a stop. */
function keptIn({ now, resource: { spec } }: Snapshot, { entries, massFailure }: Publication) {
  const { gracePeriodSeconds = 0 } = spec;
  const nodes = entries.flatMap(({ nodeName, graceSince }) => {
    const since = timeOf(graceSince);
    if (since === undefined) return [];
    const end = since + gracePeriodSeconds * 1000;
    return [{ node: nodeName, until: end > now ? end : (massFailure?.until ?? end) }];
  });
  return { gracePeriodSeconds, nodes };
}

function conflict(snapshot: Snapshot): PlannedCondition {
  const lost = lostName(snapshot);
  if (lost !== undefined) return yes("Conflict", lost);
  if (isRepeatedlyUndone(snapshot.reverts) && !isPaused(snapshot.resource)) {
    return yes("Conflict", claimMessages.reverted({ what: ["the record set"], last: Math.max(...snapshot.reverts) }));
  }
  return no("Conflict", claimMessages.noneOnName());
}

/** Once read, it stays said until a call fails: a paused set makes none. */
function reachable(snapshot: Snapshot): PlannedCondition {
  const { dns, resource, problem } = snapshot;
  if (problem?.reason === "UnknownProvider") return no("ProviderReachable", problem);
  const failure = failureOf(snapshot);
  if (failure !== undefined && UNREACHABLE.has(failure.reason)) return no("ProviderReachable", failure);
  const answered = failure !== undefined || dns.records !== "unknown";
  if (answered || wasReachable(resource.status.conditions)) {
    return yes("ProviderReachable", providerMessages.reachable());
  }
  return unknown("ProviderReachable");
}

const UNREACHABLE: ReadonlySet<Reason> = new Set(["ProviderUnavailable", "RateLimited", "Unauthorized"]);

function wasReachable(conditions: readonly Condition[] = []): boolean {
  return conditions.some(({ type, status }) => type === "ProviderReachable" && status === "True");
}

/** A paused set makes no call: none would show that an old failure is over. */
function failureOf({ dns, resource }: Snapshot): Problem | undefined {
  return isPaused(resource) ? undefined : dns.failure;
}

export function retryOf(snapshot: Snapshot): string | undefined {
  const { dns, now, resource } = snapshot;
  const retryAt = failureOf(snapshot) && dns.failureRetryAt;
  return reportedRetry([retryAt], resource.status.retryAt, now);
}
