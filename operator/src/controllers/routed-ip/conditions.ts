/** The conditions of a RoutedIP. Those of the address come from `addresses/conditions.ts`. */

import { isDeleting, isObserved, isPaused } from "../../addresses/address-set.js";
import { lockProblem, type PlannedAddress } from "../../addresses/address-status.js";
import {
  firstFailure,
  heldBackBy,
  massFailureCondition,
  otherRegion,
  recordsInPlace,
  type Findings as SharedFindings,
  acceptedOf as sharedAcceptedOf,
  conflictOf as sharedConflictOf,
  dnsReadyOf as sharedDnsReadyOf,
  valuesOf,
} from "../../addresses/conditions.js";
import { type Desired, dnsProviderOf } from "../../addresses/desired-addresses.js";
import { isOfOther, isOurs, type Placement } from "../../addresses/placements.js";
import { busyNodesOf, graceProblem, pausedOn, steadyHolder } from "../../addresses/unavailable-nodes.js";
import { probesDoubted } from "../../health/probes-for-controllers.js";
import { addressMessages } from "../../messages/addresses.js";
import { firewallMessages } from "../../messages/firewalls.js";
import { classMessages } from "../../messages/issuers-and-classes.js";
import { type Problem, valuesIn } from "../../messages/message.js";
import { candidateMessages } from "../../messages/nodes/candidates.js";
import { recordMessages } from "../../messages/records.js";
import { serviceMessages } from "../../messages/services.js";
import type { PublishedAddresses } from "../../publishing/publications.js";
import { publishedConditions } from "../../publishing/published-addresses.js";
import { lacksAddress, no, type PlannedCondition, unknown, yes } from "../../reconcile/conditions.js";
import { isSameName } from "../../records/record-equality.js";
import { fullNameOf } from "../../records/record-plan.js";
import { exceededLimit, exclusionRemark } from "../../routing/resolved-class.js";
import { serviceKeyOf } from "../../routing/service.js";
import { omitUndefined } from "../../values.js";
import { type FirewallFindings, firewallFailure, firewallProblem, firewallReady } from "./firewall/condition.js";
import { limitOf } from "./node-election.js";
import type { Snapshot } from "./snapshot.js";
import { lastSeen } from "./status.js";

export interface Findings extends FirewallFindings, Omit<SharedFindings, "addresses"> {
  readonly address: PlannedAddress | undefined;
  /** The address for the objects of `publishTo`. */
  readonly publication: PublishedAddresses | undefined;
}

export function conditionsOf(snapshot: Snapshot, findings: Findings): readonly PlannedCondition[] {
  const { address } = findings;
  const shared = { ...findings, addresses: address === undefined ? [] : [address] };
  const dns = sharedDnsReadyOf(snapshot, { ...shared, observed: isObserved(snapshot) });
  const failing = massFailureCondition(snapshot.routed.status.conditions, shared.addresses);
  return [
    acceptedOf(snapshot, findings, sharedAcceptedOf(snapshot, shared)),
    assigned(snapshot, findings),
    firewallReady(snapshot, findings),
    ...(dns === undefined ? [] : [dnsReadyOf(snapshot, findings, dns)]),
    ...publishedConditions(snapshot, findings.publication, isPaused(snapshot.set)),
    conflictOf(snapshot, findings, sharedConflictOf(snapshot, shared)),
    ...probesDoubted(snapshot, snapshot.routed.status.conditions),
    ...failing,
  ];
}

/** False also for what keeps the operator from serving the address: its machine, the ports, the firewall. */
function acceptedOf(snapshot: Snapshot, findings: Findings, accepted: PlannedCondition): PlannedCondition {
  if (accepted.status !== "True" || accepted.reason === "Paused") return accepted;
  const obstacle =
    findings.heldElsewhere ??
    snapshot.former?.problem ??
    findings.ports.problem ??
    firewallProblem(snapshot, findings) ??
    findings.refusedMark;
  if (obstacle !== undefined) return no("Accepted", obstacle);
  const { remark } = findings.ports;
  return remark === undefined ? withinLimit(snapshot, accepted) : yes("Accepted", remark);
}

/** What does no harm yet: a limit above what a machine can hold, an excluded namespace, a missing Secret. */
function withinLimit(snapshot: Snapshot, accepted: PlannedCondition): PlannedCondition {
  const { resolvedClass, capabilities } = snapshot;
  const remark = exclusionRemark(resolvedClass ?? {}) ?? snapshot.credentials;
  if (remark !== undefined) return yes("Accepted", remark);
  const { perNodeIPLimit: limit, provider } = resolvedClass ?? {};
  const exceeded = exceededLimit({ limit, provider, allowed: capabilities?.addressesPerNode });
  if (exceeded === undefined) return accepted;
  return yes(
    "Accepted",
    classMessages.limitTooHigh({ ...exceeded, limiter: resolvedClass?.nameAccess.sources[0]?.of ?? "" }),
  );
}

function assigned(snapshot: Snapshot, findings: Findings): PlannedCondition {
  const { address, creation, heldElsewhere } = findings;
  const blocking = blockingProblem(snapshot);
  if (blocking !== undefined) return no("Assigned", onFailedHolder(snapshot, findings, blocking));
  if (heldElsewhere !== undefined) return no("Assigned", heldElsewhere);
  if (isDeleting(snapshot.set)) return leaving(snapshot, findings);
  if (!isObserved(snapshot)) return unknown("Assigned");
  return address === undefined
    ? notYet(snapshot, findings.desired, creation ?? firewallFailure(snapshot, findings))
    : placed(snapshot, findings, address);
}

/** It may serve until it goes; what else it would need to serve does not matter any more. */
function leaving(snapshot: Snapshot, findings: Findings): PlannedCondition {
  const { address } = findings;
  const node = servingNode(snapshot, findings);
  if (address === undefined || node === undefined) return unknown("Assigned", addressMessages.beingDeleted());
  return yes("Assigned", addressMessages.onNode({ ip: address.ip, node }));
}

function blockingProblem(snapshot: Snapshot): Problem | undefined {
  return snapshot.problem ?? (isObserved(snapshot) ? undefined : snapshot.providerFailure);
}

/** Who reads only of a Secret that is missing would not know that the address serves no traffic. */
function onFailedHolder(snapshot: Snapshot, { placement }: Findings, cause: Problem): Problem {
  const held = lastSeen(snapshot, placement);
  if (held?.grace?.state !== "over" || !isOurs(held)) return cause;
  const node = held.verdict?.node.name;
  if (node === undefined || snapshot.servesAt(node)) return cause;
  return addressMessages.cannotMove({ ip: held.address.ip, node: steadyHolder(snapshot, held), cause });
}

function placed(snapshot: Snapshot, findings: Findings, address: PlannedAddress): PlannedCondition {
  const node = servingNode(snapshot, findings);
  const obstacle = obstacleTo(snapshot, findings, node !== undefined);
  if (node === undefined)
    return obstacle === undefined ? onItsWay(snapshot, findings, address) : no("Assigned", obstacle);
  const place = { ip: address.ip, node };
  const moves = address.status.state === "in-progress" && address.problem === undefined;
  if (moves) return yes("Assigned", addressMessages.aboutToMove(place));
  if (obstacle === undefined) return yes("Assigned", servedText(snapshot, place));
  // Its message begins with the address, which this one names already.
  const failure = valuesIn(obstacle, addressMessages.lastActionFailed).find(({ ip }) => ip === address.ip)?.error;
  return yes("Assigned", addressMessages.cannotMove({ ...place, cause: obstacle, ...omitUndefined({ failure }) }));
}

/** Where only an endpoint without a pod makes the node count, it may be a leftover if pods serve elsewhere. */
function servedText(snapshot: Snapshot, place: Parameters<typeof addressMessages.onNode>[0]): Problem {
  const { podlessOn, unreadyOn, candidates, routed } = snapshot;
  if (unreadyOn?.(place.node) === true)
    return serviceMessages.onUnready({ ...place, key: serviceKeyOf(routed.metadata, routed.spec) });
  const slice = podlessOn?.(place.node);
  if (slice === undefined) return addressMessages.onNode(place);
  const others = candidates.some(({ name }) => podlessOn?.(name) === undefined);
  return others ? addressMessages.onPodless({ ...place, slice }) : addressMessages.onNode({ ...place, slice });
}

/** While an action moves it, the address may be on neither node. That of another resource serves that one. */
function servingNode({ servesAt }: Snapshot, { placement }: Findings): string | undefined {
  if (isOfOther(placement)) return undefined;
  const node = placement?.verdict?.node.name;
  return node !== undefined && placement?.certainty !== "moving" && servesAt(node) ? node : undefined;
}

/** Why it is not where it should be; `undefined`: it is, or is being moved. */
function obstacleTo(snapshot: Snapshot, findings: Findings, serves: boolean): Problem | undefined {
  const { address, placement } = findings;
  const failed = address && failureOf(address);
  if (failed !== undefined) return failed;
  // Not even after its grace does the address move.
  const stays = placement?.certainty !== "moving" && isPaused(snapshot.set);
  if (!serves && stays && placement !== undefined) return pausedOn(snapshot, placement);
  if (needsNoNode(snapshot, placement)) return undefined;
  return standstillOf(snapshot) ?? obstacleToMove(snapshot, findings);
}

function failureOf(address: PlannedAddress): Problem | undefined {
  return address.status.state === "error" ? firstFailure([address]) : lockProblem([address]);
}

function obstacleToMove(snapshot: Snapshot, findings: Findings): Problem | undefined {
  const { address, assignmentPlan, desired } = findings;
  if (assignmentPlan.assignments.length > 0) return firewallFailure(snapshot, findings);
  const addresses = address === undefined ? [] : [address];
  const heldBack = heldBackBy(addresses, assignmentPlan);
  return (
    heldBack ??
    otherRegion(snapshot, { addresses, assignmentPlan, desired }, limitOf(snapshot)) ??
    noCandidate(snapshot, desired)
  );
}

/** The operator gives the resource no node now, whatever the nodes are like. */
function standstillOf({ set, providerFailure }: Snapshot): Problem | undefined {
  return isPaused(set) ? addressMessages.paused() : providerFailure;
}

/** It has one, or it is being read: where a node matches, only the read shows whether one is lacking. */
function needsNoNode({ candidates, inventory }: Snapshot, placement: Placement | undefined): boolean {
  const isBeingRead = candidates.length > 0 && inventory.complete && placement?.certainty === "unread";
  return isBeingRead || staysOrMoves(placement);
}

function staysOrMoves(placement: Placement | undefined): boolean {
  const state = placement?.grace?.state;
  return state === "matches" || state === "protected" || placement?.certainty === "moving";
}

function noCandidate(snapshot: Snapshot, desired: Desired): Problem {
  const { routed, refusals } = snapshot;
  const busy = busyNodesOf(snapshot, { limit: limitOf(snapshot), desired });
  return candidateMessages.noneForService({ service: serviceKeyOf(routed.metadata, routed.spec), refusals, busy });
}

function notYet(snapshot: Snapshot, desired: Desired, obstacle: Problem | undefined): PlannedCondition {
  const cause = obstacle ?? standstillOf(snapshot);
  if (cause !== undefined) return no("Assigned", cause);
  if (snapshot.candidates.length > 0) return unknown("Assigned", addressMessages.beingCreated());
  return no("Assigned", noCandidate(snapshot, desired));
}

function onItsWay(snapshot: Snapshot, findings: Findings, { ip, status }: PlannedAddress): PlannedCondition {
  const { placement } = findings;
  const by = { service: serviceKeyOf(snapshot.routed.metadata, snapshot.routed.spec) };
  const inGrace = status.reason === "InGrace" && placement ? graceProblem(snapshot, placement, by) : undefined;
  if (inGrace === undefined) {
    const { longWait } = snapshot;
    if (longWait !== undefined) return unknown("Assigned", addressMessages.waitsForLimit({ ip, ...longWait }));
    return unknown("Assigned", standing(snapshot, findings, status) ?? onWay({ ip, node: status.nodeName }));
  }
  return no("Assigned", inGrace);
}

const { onItsWay: onWay } = addressMessages;

/** Why it does not move now, though nothing is wrong; `undefined`: it moves. */
function standing(snapshot: Snapshot, findings: Findings, { state }: PlannedAddress["status"]): Problem | undefined {
  if (state === "in-progress") return undefined;
  return waitsForFirewall(snapshot, findings) ?? (state === "active" ? unanswered(snapshot, findings) : undefined);
}

function waitsForFirewall({ firewall }: Snapshot, findings: Findings): Problem | undefined {
  const { address, target, assignmentPlan } = findings;
  const node = target?.name;
  if (assignmentPlan.assignments.length === 0 || firewall === undefined || node === undefined) return undefined;
  return address && firewallMessages.waitsForFirewall({ ip: address.ip, node, firewall: firewall.name });
}

function unanswered({ routed }: Snapshot, { address, placement }: Findings): Problem | undefined {
  const node = placement?.verdict?.node.name;
  if (address === undefined || node === undefined) return undefined;
  return serviceMessages.unanswered({ ip: address.ip, node, key: serviceKeyOf(routed.metadata, routed.spec) });
}

/** The only address is no reason to worry about its record while it is on its way, or is answered where it is. */
function dnsReadyOf(snapshot: Snapshot, findings: Findings, dns: PlannedCondition): PlannedCondition {
  const left = leftRecords(snapshot, dns);
  if (left !== undefined) return left;
  if (!lacksAddress(dns) || !isUp(snapshot, findings)) return dns;
  const values = valuesOf(snapshot.set);
  if (values.length !== 1 || values[0] !== findings.address?.ip) return unknown("DNSReady");
  return recordsInPlace(snapshot, values);
}

/** What stays in DNS of a resource that the operator does not serve any more. */
function leftRecords(
  { problem, routed, set, dns: seen }: Snapshot,
  { reason }: PlannedCondition,
): PlannedCondition | undefined {
  const { dns } = routed.status;
  if (problem === undefined || dns === undefined || dns.values.length === 0 || reason !== "NotObserved")
    return undefined;
  const { dnsRecordSet } = routed.spec;
  // What was read is about the name that the spec has now.
  const provider = dnsProviderOf(set) || dns.provider;
  const isSame = dnsRecordSet !== undefined && isSameName(dns, { ...dnsRecordSet, provider });
  const name = fullNameOf(isSame ? seen : undefined, dns);
  return unknown("DNSReady", recordMessages.unserved({ name, values: dns.values }));
}

/** Being created, being moved, or answered. */
function isUp(snapshot: Snapshot, { address, creation, placement }: Findings): boolean {
  if (address === undefined) return creation === undefined && snapshot.candidates.length > 0;
  if (address.status.state === "in-progress") return true;
  const node = placement?.verdict?.node.name;
  return node !== undefined && !isOfOther(placement) && snapshot.servesAt(node);
}

function conflictOf({ former }: Snapshot, { heldElsewhere }: Findings, conflict: PlannedCondition): PlannedCondition {
  const own = heldElsewhere ?? (former?.isConflict === true ? former.problem : undefined);
  return own === undefined || conflict.status === "True" ? conflict : yes("Conflict", own);
}

/** A given address on a machine that is not a node of this cluster is left to whoever put it there. */
export function heldElsewhereOf({ routed }: Snapshot, placement: Placement | undefined): Problem | undefined {
  if (placement?.holder === undefined || placement.verdict !== undefined) return undefined;
  const { address, holder } = placement;
  // Another resource's address is that resource's concern: to unassign it would take it away from its owner.
  if (isOfOther(placement)) return undefined;
  // It was there by our own doing: the node is gone, the machine not yet.
  if (address.origin !== "listed" || routed.status.providerID === holder) return undefined;
  return addressMessages.heldElsewhere({ ip: address.ip, machine: holder });
}
