/** Conditions of a set of addresses that each kind shows. */

import type { Condition, Reason } from "cdk8s-flipop/api";
import { stopCondition } from "../health/stopped-by-mass-failure.js";
import { addressMessages } from "../messages/addresses.js";
import { claimMessages } from "../messages/claims.js";
import { healthMessages } from "../messages/health.js";
import { accessMessages } from "../messages/issuers-and-classes.js";
import { type Problem, valuesIn } from "../messages/message.js";
import { regionMessages } from "../messages/nodes/other-region.js";
import { providerMessages } from "../messages/provider.js";
import { recordMessages } from "../messages/records.js";
import { tenantMessages } from "../messages/tenants.js";
import { isReason, no, type PlannedCondition, unknown, yes } from "../reconcile/conditions.js";
import { isDue, reportedRetry } from "../reconcile/retries.js";
import { beingChanged, heldInstead, inPlace, withFormerName, writtenValues } from "../records/dns-ready-condition.js";
import { fullNameOf } from "../records/record-plan.js";
import { omitUndefined } from "../values.js";
import { type AddressSnapshot, isDeleting, isObserved, isPaused } from "./address-set.js";
import type { PlannedAddress } from "./address-status.js";
import type { AssignmentPlan } from "./assignments.js";
import { otherFamily } from "./creation/obstacles.js";
import { type Desired, dnsProviderOf } from "./desired-addresses.js";
import { foreignRecords, lostName, type RecordsSnapshot } from "./dns-records.js";
import { isIn, regionOf } from "./moves/addresses-by-region.js";
import { busyNodesOf } from "./unavailable-nodes.js";
import { isRepeatedlyUndone, undonePauseUntil } from "./undone-writes.js";

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
  /** Those of them that are released after all resources have been read. */
  readonly unread: readonly string[];
  /** Why others are not released yet: a name leads to them, or another pool may have them. */
  readonly stillUsed?: Problem;
  /** Why a label or a taint of nodes is not as the spec asks. */
  readonly refusedMark: Problem | undefined;
  /** Addresses to publish. */
  readonly published: readonly string[];
}

export function acceptedOf(snapshot: AddressSnapshot, findings: Findings): PlannedCondition {
  const { problem, providerFailure, set } = snapshot;
  const { desired, addresses, unsettled } = findings;
  const blocking = problem ?? providerFailure ?? unusable(snapshot, desired) ?? unsettled;
  if (blocking !== undefined) return no("Accepted", blocking);
  if (!isObserved(snapshot)) return unknown("Accepted");
  const failed = addresses.filter(({ status }) => status.state === "error" && status.reason !== "ClaimedByOther");
  const failure = firstFailure(failed);
  if (failure !== undefined) return no("Accepted", failure);
  if (set.paused) return yes("Accepted", addressMessages.paused());
  return served(snapshot, findings);
}

/** All that the spec asks for, except for parts that are ignored without harm. */
function served(
  { passedOver = [], set: { kind, limiter = "" } }: AddressSnapshot,
  { desired: { duplicates, addresses }, heldBack, unread, stillUsed }: Findings,
): PlannedCondition {
  const kept = addresses.flatMap(({ ip, refused, claim }) => (refused && claim?.ours ? [ip] : []));
  if (unread.length > 0) return yes("Accepted", addressMessages.releasedAfterReading({ ips: unread }));
  if (stillUsed !== undefined) return yes("Accepted", stillUsed);
  if (heldBack.length > 0) return yes("Accepted", addressMessages.ownershipInferred({ ips: heldBack }));
  if (kept.length > 0) return yes("Accepted", tenantMessages.addressesKept({ ips: kept, limiter }));
  if (passedOver.length > 0) return yes("Accepted", addressMessages.partlyServed({ ignored: passedOver }));
  if (duplicates.length === 0) return yes("Accepted", addressMessages.inOrder({ kind }));
  return yes("Accepted", addressMessages.listedTwice({ ips: duplicates }));
}

function unusable(snapshot: AddressSnapshot, desired: Desired): Problem | undefined {
  return otherFamily(snapshot.set) ?? rejected(desired) ?? uncreatable(snapshot, desired);
}

function rejected({ rejected: texts, family }: Desired): Problem | undefined {
  return texts.length === 0 ? undefined : addressMessages.notOfFamily({ texts, family });
}

/** Names all that the account lacks, or that the limits refuse: a person who corrects one would else see the next one only then. */
export function firstFailure(failed: readonly PlannedAddress[]): Problem | undefined {
  const [first] = failed;
  if (first === undefined) return undefined;
  const { ip, status, problem } = first;
  const { reason, error } = status;
  if (problem === undefined) return addressMessages.lastActionFailed({ ip, reason: knownReason(reason), error });
  const { notInAccount, nodesOwn } = addressMessages;
  // The account lacks these, too; the status of each address says more.
  const lacking = failed.filter((each) => each.problem?.id === notInAccount.id || each.problem?.id === nodesOwn.id);
  if (lacking.length > 1 && lacking.includes(first)) return notInAccount({ ips: lacking.map((each) => each.ip) });
  const alike = failed.filter((each) => each.problem?.id === problem.id).map((each) => each.ip);
  const [refused] = valuesIn(problem, accessMessages.addressNotAllowed);
  if (refused === undefined || alike.length === 1) return problem;
  return accessMessages.addressNotAllowed({ ...refused, others: alike.slice(1) });
}

/** The cloud refused the spec as wrong: that holds while the operator tries again. */
function uncreatable({ memory: { creationFailure } }: AddressSnapshot, { missing }: Desired): Problem | undefined {
  if (creationFailure?.ofSpec !== true || missing === 0) return undefined;
  return creationFailure;
}

/** `undefined`: the spec has no record set. */
export function dnsReadyOf(
  snapshot: RecordsSnapshot,
  { published, observed }: Pick<Findings, "published"> & { readonly observed: boolean },
): PlannedCondition | undefined {
  const { dns, set } = snapshot;
  const { dnsRecordSet: wanted, writtenDns: last } = set;
  if (wanted === undefined) return undefined;
  const blocked = (said: Problem) => {
    const condition = no("DNSReady", said);
    const isFollowed = observed && !isDeleting(set) && !isPaused(set);
    if (!isFollowed) return condition;
    return withFormerName(condition, { dns, last, wanted, values: published, provider: dnsProviderOf(set) });
  };
  const failure = dnsFailure(snapshot);
  if (failure !== undefined) return blocked(failure);
  if (isDeleting(set)) return unknown("DNSReady", recordMessages.beingDeleted());
  if (dns === undefined || !observed) return unknown("DNSReady");
  const obstacleToDns = dnsObstacle(snapshot);
  if (obstacleToDns !== undefined) return blocked(obstacleToDns);
  return contents(snapshot, published);
}

function noneActive(
  { set: { kind } }: RecordsSnapshot,
  content: Parameters<typeof recordMessages.inPlace>[0],
): Problem {
  const condition = kind === "RoutedIP" ? "Assigned" : "Fulfilled";
  if (content.values.length === 0) return recordMessages.nothingYet({ name: content.name, condition });
  return recordMessages.noneActive({ ...content, condition });
}

/** What the operator has written under the name that the spec has. */
export function valuesOf(set: RecordsSnapshot["set"]): readonly string[] {
  return writtenValues(set.writtenDns, { wanted: set.dnsRecordSet, provider: dnsProviderOf(set) }) ?? [];
}

/** What the record set holds, next to what it should. */
function contents(snapshot: RecordsSnapshot, published: readonly string[]): PlannedCondition {
  const { dnsRecordSet } = snapshot.set;
  const name = fullNameOf(snapshot.dns, dnsRecordSet);
  const values = valuesOf(snapshot.set);
  if (isPaused(snapshot.set) && values.join() !== published.join()) return no("DNSReady", addressMessages.paused());
  if (published.length === 0) return no("DNSReady", noneActive(snapshot, { name, values }));
  const foreign = foreignRecords(snapshot, published);
  if (foreign.length > 0) {
    return no("DNSReady", accessMessages.recordExists({ name, values: foreign, limiter: snapshot.dns?.adopter }));
  }
  if (values.join() !== published.join()) return beingChanged(snapshot.dns, { ...dnsRecordSet }, values);
  return written(snapshot, values);
}

/** The operator has written what the record set should hold. */
function written(snapshot: RecordsSnapshot, values: readonly string[]): PlannedCondition {
  const { dns, set } = snapshot;
  const held = heldInstead(dns, values, isPaused(set));
  if (held !== undefined && isPaused(set)) return no("DNSReady", addressMessages.paused());
  if (held !== undefined) return beingChanged(dns, { ...set.dnsRecordSet }, held);
  return dns?.kept === undefined ? recordsInPlace(snapshot, values) : yes("DNSReady", dns.kept);
}

/** The record set holds what it should. */
export function recordsInPlace(
  { dns, set }: Pick<RecordsSnapshot, "dns" | "set">,
  values: readonly string[],
): PlannedCondition {
  const content = { name: fullNameOf(dns, set.dnsRecordSet), values };
  const named = { ...set.dnsRecordSet, provider: dnsProviderOf(set) };
  return inPlace(dns, named, recordMessages.inPlace(content));
}

/** A paused resource makes no call: none would show that an old failure is over. */
function dnsFailure({ dns, set }: Pick<RecordsSnapshot, "dns" | "set">): Problem | undefined {
  return isPaused(set) ? undefined : dns?.failure;
}

/** When the operator tries again what failed for the whole resource. */
export function retryOf(snapshot: AddressSnapshot, missing: number): string | undefined {
  const { memory, dns, providerFailure, providerRetryAt, set, now } = snapshot;
  const { accountRetryAt, retryAt = accountRetryAt } = memory;
  const failed = isPaused(set) ? [] : [...(retryAt?.values() ?? [])];
  const waits = [
    ...[...failed, ...nodeRetries(snapshot)].filter((at) => !isDue(at, now)),
    missing > 0 ? memory.creationFailure?.retryAt : undefined,
    dnsFailure(snapshot) && dns?.failureRetryAt,
    providerFailure && providerRetryAt,
  ];
  return reportedRetry(waits, set.retryAt, now);
}

/** The candidates that refused an address, where one could not be assigned. */
function nodeRetries({ set, candidates, memory }: AddressSnapshot): readonly number[] {
  if (isPaused(set) || !Object.values(set.statuses).some(({ state }) => state === "error")) return [];
  return candidates.flatMap(({ machine = "" }) => memory.nodeRetryAt.get(machine) ?? []);
}

function dnsObstacle(snapshot: RecordsSnapshot): Problem | undefined {
  const { dns, set, memory, now } = snapshot;
  if (dns?.refused !== undefined) return dns.refused;
  const provider = dnsProviderOf(set);
  if (provider === "") return recordMessages.providerMissing();
  if (dns?.capabilities === undefined) return providerMessages.noDns({ provider });
  const lost = lostName(snapshot);
  if (lost !== undefined) return lost;
  const until = isPaused(set) ? undefined : undonePauseUntil(memory.reverts.get("records"), now);
  return until === undefined ? undefined : recordMessages.foreignWriter({ until });
}

export function conflictOf(
  snapshot: RecordsSnapshot,
  { desired }: { readonly desired: Pick<Desired, "addresses"> },
): PlannedCondition {
  const { memory, set } = snapshot;
  const lost = desired.addresses.flatMap(({ ip, claim }) =>
    claim === undefined || claim.ours ? [] : [claimMessages.address({ ip, ...claim.owned })],
  );
  const causes = [...lost, lostName(snapshot)].filter((cause) => cause !== undefined);
  if (causes.length > 0) return yes("Conflict", claimMessages.several({ causes }));
  const reverted = [...memory.reverts].filter(([, times]) => isRepeatedlyUndone(times));
  // A paused resource writes nothing that could be undone.
  if (reverted.length > 0 && !isPaused(set)) {
    const last = Math.max(...reverted.flatMap(([, times]) => times));
    return yes("Conflict", claimMessages.reverted({ what: reverted.map(([what]) => what), last }));
  }
  return no("Conflict", claimMessages.none());
}

/** Nodes match, but none that is free is in the region of an address. @param limit addresses that a node may hold */
export function otherRegion(
  snapshot: AddressSnapshot,
  { addresses, assignmentPlan, desired }: Pick<Findings, "addresses" | "assignmentPlan" | "desired">,
  limit: number,
): Problem | undefined {
  const [elsewhere] = assignmentPlan.elsewhere;
  const ip = elsewhere?.address.ip ?? addresses.find((each) => isStranded(snapshot, each))?.ip;
  if (ip === undefined) return undefined;
  const region = snapshot.inventory.get(ip)?.region ?? "";
  const regions = elsewhere === undefined ? snapshot.candidates.map(regionOf) : assignmentPlan.regions;
  const there = new Set([region]);
  const busy = busyNodesOf(snapshot, { limit, desired, regions: there });
  const serving = snapshot.candidates.some((node) => isIn(node, there));
  return regionMessages.otherRegion({
    ...{ ip, region, regions: [...new Set(regions)].sort().join(", "), busy, serving },
    ...omitUndefined({ refusals: snapshot.refusalsIn?.(region) }),
    ...ownWays(snapshot, desired, ip),
  });
}

/** What depends on the kind of the resource. */
function ownWays({ set }: AddressSnapshot, { addresses }: Pick<Desired, "addresses">, ip: string) {
  if (set.kind === "RoutedIP") return { lack: "NoCandidate", replaceable: false } as const;
  const replaceable = addresses.some((own) => own.ip === ip && own.origin === "created");
  return { lack: "TooFewCandidates", replaceable } as const;
}

/** It is on no node, and all that match are in other regions. */
function isStranded({ inventory, candidates, capabilities }: AddressSnapshot, { ip, status }: PlannedAddress): boolean {
  const region = inventory.get(ip)?.region ?? "";
  if (capabilities?.regional !== true || region === "" || candidates.length === 0) return false;
  return !IS_PLACED.has(status.state) && !candidates.some((node) => isIn(node, new Set([region])));
}

const IS_PLACED: ReadonlySet<string> = new Set(["active", "in-progress", "disabled", "error"]);

/** A word of an address's status as the reason of a condition. */
function knownReason(word: string | undefined): Reason {
  return isReason(word) ? word : "ProviderUnavailable";
}

/** Empty: no stop holds an address back, and none did. */
export function massFailureCondition(
  known: readonly Condition[] | undefined,
  addresses: readonly PlannedAddress[],
): readonly PlannedCondition[] {
  return stopCondition(known, addresses.find(isStopped)?.problem);
}

/** Why the resource waits though a node is there; `undefined`: no safeguard holds a move back. */
export function heldBackBy(
  addresses: readonly PlannedAddress[],
  { limitedUntil }: Pick<AssignmentPlan, "limitedUntil">,
): Problem | undefined {
  if (limitedUntil !== undefined) return healthMessages.moveLimit({ until: limitedUntil });
  return addresses.find(isStopped)?.problem;
}

function isStopped({ problem }: PlannedAddress): boolean {
  return problem?.reason === "MassFailure";
}
