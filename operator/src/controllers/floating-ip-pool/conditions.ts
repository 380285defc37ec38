/** The conditions of a pool. Those that RoutedIPs share are in `addresses/conditions.ts`. */

import { isDeleting, isObserved, isPaused } from "../../addresses/address-set.js";
import { lockProblem, type PlannedAddress } from "../../addresses/address-status.js";
import type { Displacement } from "../../addresses/assignments.js";
import {
  acceptedOf,
  conflictOf,
  dnsReadyOf,
  type Findings,
  firstFailure,
  heldBackBy,
  massFailureCondition,
  otherRegion,
} from "../../addresses/conditions.js";
import { takenOutOf } from "../../addresses/desired-addresses.js";
import { isIn, regionOf } from "../../addresses/moves/addresses-by-region.js";
import { isServed, type Placement } from "../../addresses/placements.js";
import { busyNodesOf, graceProblem } from "../../addresses/unavailable-nodes.js";
import { probesDoubted } from "../../health/probes-for-controllers.js";
import { taintText } from "../../match/node-facts.js";
import { addressMessages } from "../../messages/addresses.js";
import type { Problem } from "../../messages/message.js";
import { candidateMessages } from "../../messages/nodes/candidates.js";
import { regionMessages } from "../../messages/nodes/other-region.js";
import { providerMessages } from "../../messages/provider.js";
import type { PublishedAddresses } from "../../publishing/publications.js";
import { publishedConditions } from "../../publishing/published-addresses.js";
import { no, type PlannedCondition, unknown, yes } from "../../reconcile/conditions.js";
import type { Snapshot } from "./snapshot.js";
import { leftByFormer } from "./unlisted-addresses.js";

export function conditionsOf(
  snapshot: Snapshot,
  findings: Findings & { readonly publication?: PublishedAddresses | undefined },
): readonly PlannedCondition[] {
  const dns = dnsReadyOf(snapshot, { ...findings, observed: isObserved(snapshot) });
  const failing = massFailureCondition(snapshot.pool.status.conditions, findings.addresses);
  return [
    acceptedOf(snapshot, findings),
    fulfilled(snapshot, findings),
    ...(dns === undefined ? [] : [dns]),
    ...publishedConditions(snapshot, findings.publication, isPaused(snapshot.set)),
    conflictOf(snapshot, findings),
    reachable(snapshot),
    ...probesDoubted(snapshot, snapshot.pool.status.conditions),
    ...failing,
  ];
}

function fulfilled(snapshot: Snapshot, findings: Findings): PlannedCondition {
  const count = { active: activeOf(findings), desired: findings.desired.desiredCount };
  if (!isObserved(snapshot)) return unobserved(snapshot, count);
  if (count.active >= count.desired) return served(snapshot, findings, count);
  if (isDeleting(snapshot.set)) {
    const cause = findings.creation ?? addressMessages.beingDeleted();
    return unknown("Fulfilled", candidateMessages.tooFewActive({ ...count, cause }));
  }
  const cause = isPaused(snapshot.set)
    ? pauseOf(findings)
    : (creationObstacle(snapshot, findings) ?? obstacle(snapshot, findings));
  if (cause !== undefined) return no("Fulfilled", candidateMessages.tooFewActive({ ...count, cause }));
  return onTheirWay(snapshot, findings, count);
}

/** The addresses serve; a label or a taint that is missing keeps pods from where they should run. */
function served(snapshot: Snapshot, findings: Findings, count: Counted): PlannedCondition {
  const { refusedMark: cause } = findings;
  if (cause !== undefined) return no("Fulfilled", candidateMessages.tooFewActive({ ...count, cause }));
  return yes("Fulfilled", fulfilledBy(snapshot, findings, count));
}

function onTheirWay(snapshot: Snapshot, findings: Findings, count: Counted): PlannedCondition {
  const { longWait } = snapshot;
  if (longWait !== undefined) return unknown("Fulfilled", candidateMessages.waitForLimit({ ...count, ...longWait }));
  const room = findings.assignmentPlan.displacements.find(({ failing }) => failing !== true);
  if (room !== undefined) return unknown("Fulfilled", candidateMessages.makingRoom({ ...count, ...roomText(room) }));
  const doubted = findings.addresses.find((address) => isIdle(address) && isDoubted(snapshot, address));
  if (doubted === undefined) return unknown("Fulfilled", candidateMessages.onTheirWay(count));
  return unknown("Fulfilled", candidateMessages.inDoubt({ ...count, ip: doubted.ip }));
}

function roomText({ placement, node, displaced, leaves }: Displacement) {
  return { ip: placement.address.ip, node: node.name, displaced: displaced.address.ip, leaves };
}

type Counted = Pick<Parameters<typeof candidateMessages.tooFewActive>[0], "active" | "desired">;

function fulfilledBy(snapshot: Snapshot, { addresses, desired }: Findings, count: Counted): Problem {
  const { verdictOf, candidates } = snapshot;
  const listed = new Set(desired.addresses.filter(({ inSpec }) => inSpec).map(({ ip }) => ip));
  const disabled = addresses.filter(({ ip, status }) => status.state === "disabled" && listed.has(ip));
  const values = { ...count, disabled: disabled.map(({ ip }) => ip), ...takenOutOf(snapshot.set, desired) };
  const [onCordoned] = addresses.flatMap(({ ip, status: { state, providerID } }) => {
    const verdict = state === "active" && providerID !== undefined ? verdictOf(providerID) : undefined;
    return verdict?.node.cordoned === true && verdict.refusals.length === 0 ? [{ ip, node: verdict.node.name }] : [];
  });
  const holders = addresses.flatMap(({ status: { state, nodeName } }) => (state === "active" && nodeName) || []);
  const portless = snapshot.portlessOf?.(holders);
  if (portless !== undefined) return candidateMessages.onPortless({ ...values, ...workloadsOf(snapshot), ...portless });
  const unlisted = leftByFormer(snapshot, desired);
  if (unlisted !== undefined) return candidateMessages.besideUnlisted({ ...values, ...unlisted });
  if (onCordoned === undefined) return fulfilledFor(snapshot, values);
  const taints = [...new Set(candidates.flatMap((node) => node.taints.map(taintText)))].sort();
  return candidateMessages.onCordoned({ ...values, ...onCordoned, taints });
}

/** Also names what may make more pods count than a person meant. */
function fulfilledFor(snapshot: Snapshot, values: Parameters<typeof candidateMessages.fulfilled>[0]): Problem {
  const { region } = snapshot.set;
  const regions = regionsWithout(snapshot, region);
  if (region !== undefined && regions.length > 0) return regionMessages.ofOtherRegion({ ...values, region, regions });
  const namespaces = snapshot.podNamespaces?.() ?? [];
  if (namespaces.length > 1) return candidateMessages.ofSeveralNamespaces({ ...values, namespaces });
  const found = workloadsOf(snapshot);
  if (found.workloads.length < 2) return candidateMessages[values.unlisted ? "servesUnlisted" : "fulfilled"](values);
  return candidateMessages.ofSeveralWorkloads({ ...values, ...found });
}

/** Those of the nodes that match, where none is in this one. */
function regionsWithout({ candidates, capabilities }: Snapshot, region = ""): readonly string[] {
  const wanted = new Set([region]);
  if (capabilities?.regional !== true || candidates.some((node) => isIn(node, wanted))) return [];
  return [...new Set(candidates.map(regionOf))].sort();
}

function workloadsOf({ podOwners, pool }: Snapshot) {
  return { workloads: podOwners?.() ?? [], podLabel: pool.spec.match?.podLabel ?? "" };
}

/** With a lost holder, where there is one. */
function pauseOf({ addresses }: Findings): Problem {
  const lost = addresses.find(({ problem }) => problem?.reason === "Paused")?.problem;
  return lost ?? addressMessages.paused();
}

/** A higher limit of the account alone does not help where nodes are lacking, too. */
function creationObstacle({ candidates, refusals }: Snapshot, { creation, desired }: Findings): Problem | undefined {
  const { desiredCount } = desired;
  if (creation?.reason !== "QuotaExceeded" || candidates.length >= desiredCount) return creation;
  const count = candidates.length;
  return candidateMessages.tooFewBesides({ cause: creation, desired: desiredCount, candidates: count, refusals });
}

function activeOf({ addresses }: Findings): number {
  return addresses.filter(({ status }) => status.state === "active").length;
}

/** Addresses that the status has as active may still be: only those that it lacks are known to be missing. */
function unobserved(snapshot: Snapshot, count: { readonly active: number; readonly desired: number }) {
  const cause = snapshot.problem ?? snapshot.providerFailure;
  if (cause === undefined) return unknown("Fulfilled");
  if (count.active >= count.desired) return unknown("Fulfilled", cause);
  return no("Fulfilled", candidateMessages.tooFewActive({ ...count, cause }));
}

function obstacle(snapshot: Snapshot, findings: Findings): Problem | undefined {
  const failure = firstFailure(findings.addresses.filter(({ status }) => status.state === "error"));
  if (failure !== undefined) return failure;
  const locked = lockProblem(findings.addresses);
  if (locked !== undefined) return locked;
  const { problem, candidates, providerFailure, refusals } = snapshot;
  if (problem !== undefined) return problem;
  if (candidates.length === 0) return candidateMessages.none({ refusals });
  return providerFailure ?? obstacleToAssignment(snapshot, findings);
}

function obstacleToAssignment(snapshot: Snapshot, findings: Findings): Problem | undefined {
  const { addresses, assignmentPlan } = findings;
  const { cooling, coolUntil = snapshot.now } = assignmentPlan;
  if (cooling.length > 0) return candidateMessages.coolingOff({ until: coolUntil });
  return heldBackBy(addresses, assignmentPlan) ?? lackOfNodes(snapshot, findings);
}

function lackOfNodes(snapshot: Snapshot, { addresses, assignmentPlan, desired }: Findings): Problem | undefined {
  const { capabilities, refusals } = snapshot;
  const limit = capabilities?.addressesPerNode ?? 1;
  const elsewhere = otherRegion(snapshot, { addresses, assignmentPlan, desired }, limit);
  if (elsewhere !== undefined) return elsewhere;
  // A node would not help an address that waits for a second read.
  const isEnough = snapshot.candidates.length >= desired.desiredCount;
  const making = assignmentPlan.displacements.filter(({ failing }) => failing !== true);
  const placed = new Set(making.map(({ placement }) => placement.address.ip));
  const lacking = addresses.filter((address) => isIdle(address) && !placed.has(address.ip));
  const idle = lacking.find((address) => !(isEnough && isUnclear(snapshot, address)));
  if (idle === undefined) return undefined;
  const busy = busyNodesOf(snapshot, { limit, desired });
  return candidateMessages.tooFew({ desired: desired.desiredCount, idle: idle.ip, refusals, busy });
}

function isIdle({ status: { state } }: PlannedAddress): boolean {
  return state === "unassigned" || state === "no-match";
}

/** Reads are still to show where it is. */
function isUnclear(snapshot: Snapshot, address: PlannedAddress): boolean {
  const { inventory } = snapshot;
  const isUnread = inventory.get(address.ip) === undefined && !inventory.isGone(address.ip);
  return isUnread || isDoubted(snapshot, address);
}

/** A read has contradicted what the operator knows of it. */
function isDoubted({ inventory }: Snapshot, { ip }: PlannedAddress): boolean {
  return inventory.get(ip)?.unconfirmed === true;
}

/** The holder of an active address does not match at the moment: nothing shows that the address serves. */
export function unservedOf(snapshot: Snapshot, placements: readonly Placement[]): Problem | undefined {
  if (!isObserved(snapshot) || isDeleting(snapshot.set)) return undefined;
  const inGrace = placements.find((placement) => isServed(placement) && placement.grace?.state === "protected");
  return inGrace && graceProblem(snapshot, inGrace, "match");
}

function reachable({ providerFailure, inventory }: Snapshot): PlannedCondition {
  if (providerFailure !== undefined) return no("ProviderReachable", providerFailure);
  if (!inventory.complete) return unknown("ProviderReachable");
  return yes("ProviderReachable", providerMessages.reachable());
}
