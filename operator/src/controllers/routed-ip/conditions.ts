/** The conditions of a RoutedIP. Those of the address come from `addresses/conditions.ts`. */

import type { RoutedPort } from "cdk8s-flipop/api";
import { isDeleting, isObserved, isPaused } from "../../addresses/address-set.js";
import type { PlannedAddress } from "../../addresses/address-status.js";
import type { AssignmentPlan } from "../../addresses/assignments.js";
import {
  heldBackBy,
  lastFailure,
  massFailureCondition,
  otherRegion,
  recordsInPlace,
  acceptedOf as sharedAcceptedOf,
  conflictOf as sharedConflictOf,
  dnsReadyOf as sharedDnsReadyOf,
} from "../../addresses/conditions.js";
import type { Desired } from "../../addresses/desired.js";
import type { Placement } from "../../addresses/observed.js";
import { busyNodesOf, graceProblem, pausedOn } from "../../addresses/refusals.js";
import { probesDoubted } from "../../health/probed-nodes.js";
import { addressMessages } from "../../messages/addresses.js";
import { candidateMessages } from "../../messages/candidates.js";
import { firewallMessages } from "../../messages/firewalls.js";
import type { Problem } from "../../messages/message.js";
import { classMessages } from "../../messages/routing.js";
import type { PublishedAddresses } from "../../publishing/publications.js";
import { publishedConditions } from "../../publishing/published.js";
import { lacksAddress, no, type PlannedCondition, unknown, yes } from "../../reconcile/conditions.js";
import { lackOfPorts, needsRule, type PortsFound, rulesOf } from "../../routing/ports.js";
import { exceededLimit } from "../../routing/resolved-class.js";
import { serviceKeyOf } from "../../routing/service.js";
import { limitOf } from "./election.js";
import type { FirewallPlan } from "./firewall/firewall.js";
import type { FirewallSnapshot } from "./firewall/snapshot.js";
import type { Snapshot } from "./snapshot.js";
import type { Place } from "./update/update.js";

export interface Findings {
  readonly desired: Desired;
  readonly address: PlannedAddress | undefined;
  readonly placement: Placement | undefined;
  readonly assignmentPlan: AssignmentPlan;
  readonly creation: Problem | undefined;
  readonly unsettled: Problem | undefined;
  readonly heldBack: readonly string[];
  readonly unread: readonly string[];
  readonly published: readonly string[];
  /** The address for the objects of `publishTo`. */
  readonly publication: PublishedAddresses | undefined;
  /** The address is on a machine of somebody else. */
  readonly heldElsewhere: Problem | undefined;
  /** The node that serves the address, or gets it. */
  readonly target: Place | undefined;
  readonly ports: PortsFound;
  readonly firewall: FirewallPlan | undefined;
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
    conflictOf(findings, sharedConflictOf(snapshot, shared)),
    ...probesDoubted(snapshot, snapshot.routed.status.conditions),
    ...failing,
  ];
}

/** False also for what keeps the operator from serving the address: its machine, the ports, the firewall. */
function acceptedOf(snapshot: Snapshot, findings: Findings, accepted: PlannedCondition): PlannedCondition {
  if (accepted.status !== "True" || accepted.reason === "Paused") return accepted;
  const obstacle = findings.heldElsewhere ?? findings.ports.problem ?? firewallProblem(snapshot, findings);
  return obstacle === undefined ? withinLimit(snapshot, accepted) : no("Accepted", obstacle);
}

/** A limit above what a machine can hold is not reached: said, without harm. */
function withinLimit(snapshot: Snapshot, accepted: PlannedCondition): PlannedCondition {
  const { resolvedClass, capabilities } = snapshot;
  const { perNodeIPLimit: limit, provider } = resolvedClass ?? {};
  const exceeded = exceededLimit({ limit, provider, allowed: capabilities?.addressesPerNode });
  if (exceeded === undefined) return accepted;
  return yes(
    "Accepted",
    classMessages.limitTooHigh({ ...exceeded, limiter: resolvedClass?.nameAccess.sources[0]?.of ?? "" }),
  );
}

function firewallProblem({ resolvedClass }: Snapshot, { firewall, ports }: Findings): Problem | undefined {
  const problem = firewall?.nodeProblem ?? firewall?.rulesProblem;
  // Without a firewall the operator opens no port, so it refuses none.
  return problem ?? (resolvedClass?.firewallName === undefined ? undefined : ports.refused);
}

function assigned(snapshot: Snapshot, findings: Findings): PlannedCondition {
  const { address, creation, heldElsewhere } = findings;
  const blocking = blockingProblem(snapshot) ?? heldElsewhere;
  if (blocking !== undefined) return no("Assigned", blocking);
  if (!isObserved(snapshot)) return unknown("Assigned");
  return address === undefined
    ? notYet(snapshot, findings.desired, creation ?? findings.firewall?.nodeProblem ?? findings.firewall?.rulesProblem)
    : placed(snapshot, findings, address);
}

function blockingProblem(snapshot: Snapshot): Problem | undefined {
  return snapshot.problem ?? (isObserved(snapshot) ? undefined : snapshot.providerFailure);
}

function placed(snapshot: Snapshot, findings: Findings, address: PlannedAddress): PlannedCondition {
  const node = findings.placement?.verdict?.node.name;
  const serves = node !== undefined && snapshot.servesAt(node);
  const obstacle = obstacleTo(snapshot, findings, serves);
  if (!serves) return obstacle === undefined ? onItsWay(snapshot, findings, address) : no("Assigned", obstacle);
  const place = { ip: address.ip, node };
  if (address.status.state === "in-progress") return yes("Assigned", addressMessages.aboutToMove(place));
  if (obstacle === undefined) return yes("Assigned", addressMessages.onNode(place));
  return yes("Assigned", addressMessages.cannotMove({ ...place, cause: obstacle }));
}

/** Why it is not where it should be; `undefined`: it is, or is being moved. */
function obstacleTo(snapshot: Snapshot, findings: Findings, serves: boolean): Problem | undefined {
  const { address, placement } = findings;
  if (address?.status.state === "error") return lastFailure(address);
  // Not even after its grace does the address move.
  const stays = placement?.certainty !== "moving" && isPaused(snapshot.set);
  if (!serves && stays && placement !== undefined) return pausedOn(snapshot, placement);
  if (staysOrMoves(placement)) return undefined;
  return standstillOf(snapshot) ?? obstacleToMove(snapshot, findings);
}

function obstacleToMove(snapshot: Snapshot, findings: Findings): Problem | undefined {
  const { address, assignmentPlan, desired, firewall } = findings;
  if (assignmentPlan.assignments.length > 0) return firewall?.nodeProblem ?? firewall?.rulesProblem;
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
  if (isDeleting(snapshot.set)) return unknown("Assigned", addressMessages.beingDeleted());
  if (snapshot.candidates.length > 0) return unknown("Assigned", addressMessages.beingCreated());
  return no("Assigned", noCandidate(snapshot, desired));
}

function onItsWay(snapshot: Snapshot, { placement }: Findings, { ip, status }: PlannedAddress): PlannedCondition {
  if (isDeleting(snapshot.set)) return unknown("Assigned", addressMessages.beingDeleted());
  const by = { service: serviceKeyOf(snapshot.routed.metadata, snapshot.routed.spec) };
  const inGrace = status.reason === "InGrace" && placement ? graceProblem(snapshot, placement, by) : undefined;
  if (inGrace === undefined) {
    const { longWait } = snapshot;
    if (longWait !== undefined) return unknown("Assigned", addressMessages.waitsForLimit({ ip, ...longWait }));
    return unknown("Assigned", addressMessages.onItsWay({ ip, node: status.nodeName }));
  }
  return no("Assigned", inGrace);
}

function firewallReady(snapshot: Snapshot, findings: Findings): PlannedCondition {
  const { firewall, problem, resolvedClass } = snapshot;
  const { firewall: plan } = findings;
  if (problem !== undefined) return no("FirewallReady", problem);
  if (isOfOther(findings)) return unknown("FirewallReady", firewallMessages.addressOfOther());
  if (resolvedClass === undefined) return unknown("FirewallReady");
  if (resolvedClass.firewallName === undefined)
    return yes("FirewallReady", firewallMessages.notNamed({ issuer: resolvedClass.issuer }));
  if (plan === undefined || firewall === undefined) return unknown("FirewallReady");
  const obstacle = firewallProblem(snapshot, findings) ?? lackOfPorts(findings.ports);
  if (obstacle !== undefined) return no("FirewallReady", obstacle);
  const { name } = firewall;
  const { nodePortRange } = resolvedClass;
  if (!needsNoRule(snapshot, findings.ports, plan)) return inStep(snapshot, { firewall, plan }, findings);
  const ports = textsOf(findings.ports.ports);
  return yes("FirewallReady", firewallMessages.notNeeded({ name, nodePortRange, ports }));
}

/** All its ports are in the NodePort range: a firewall that does not exist is none that is missing. */
function needsNoRule({ firewall, resolvedClass }: Snapshot, ports: PortsFound, plan: FirewallPlan): boolean {
  if (firewall?.facts !== "missing" || ports.ports.length === 0 || plan.recorded.rules.length > 0) return false;
  const { nodePortRange = "" } = resolvedClass ?? {};
  return rulesOf(ports.ports, { nodePortRange, sourceRanges: ports.sourceRanges }).length === 0;
}

/** The firewall is not read for an address that this resource may not move. */
function isOfOther({ heldElsewhere, placement }: Findings): boolean {
  return heldElsewhere !== undefined || placement?.address.claim?.ours === false;
}

interface Planned {
  readonly firewall: FirewallSnapshot;
  readonly plan: FirewallPlan;
}

function inStep(
  { routed: { metadata, spec }, resolvedClass }: Snapshot,
  { firewall: { name, facts }, plan }: Planned,
  findings: Findings,
): PlannedCondition {
  if (facts === "unknown" || plan.read !== undefined) return unknown("FirewallReady");
  if (plan.create !== undefined || plan.addRules.length + plan.addNodes.length > 0) {
    return unknown("FirewallReady", firewallMessages.beingUpdated({ name }));
  }
  if (facts === "missing") return no("FirewallReady", firewallMessages.missing({ name }));
  if (knowsNoPort(findings)) return unknown("FirewallReady", firewallMessages.noPortYet({ name }));
  const toCome = portsToCome(findings.ports, resolvedClass?.nodePortRange ?? "");
  if (toCome.length > 0) return unknown("FirewallReady", firewallMessages.portsToCome({ name, ports: toCome }));
  const open = { name, ports: plan.recorded.rules.map((rule) => `${rule.protocol} ${rule.ports}`) };
  return yes("FirewallReady", openText(open, findings.ports, serviceKeyOf(metadata, spec)));
}

function openText(open: Parameters<typeof firewallMessages.open>[0], { sourceRanges }: PortsFound, service: string) {
  if (sourceRanges.length === 0) return firewallMessages.open(open);
  return firewallMessages.openForSome({ ...open, sources: [...sourceRanges].sort(), service });
}

/** Ports of pods that are not ready yet, which no earlier pod had, and which need a rule. */
function portsToCome({ ports, later = [] }: PortsFound, nodePortRange: string): readonly string[] {
  const isOpen = (port: RoutedPort) => ports.some((each) => each.port === port.port && each.protocol === port.protocol);
  return textsOf(later.filter((port) => !isOpen(port) && needsRule(port, nodePortRange)));
}

function textsOf(ports: readonly RoutedPort[]): readonly string[] {
  return ports.map(({ port, protocol }) => `${port}/${protocol}`);
}

/** Pods open their hostPorts on the node of the address: without such a node, the operator knows none of them. */
function knowsNoPort({ ports, target }: Findings): boolean {
  return target === undefined && ports.ports.length === 0;
}

/** The only address is no reason to worry about its record while it is on its way, or is answered where it is. */
function dnsReadyOf(snapshot: Snapshot, findings: Findings, dns: PlannedCondition): PlannedCondition {
  if (!lacksAddress(dns) || !isUp(snapshot, findings)) return dns;
  const { values = [] } = snapshot.routed.status.dns ?? {};
  if (values.length !== 1 || values[0] !== findings.address?.ip) return unknown("DNSReady");
  return recordsInPlace(snapshot, values);
}

/** Being created, being moved, or answered. */
function isUp(snapshot: Snapshot, { address, creation, placement }: Findings): boolean {
  if (address === undefined) return creation === undefined && snapshot.candidates.length > 0;
  const node = placement?.verdict?.node.name;
  return address.status.state === "in-progress" || (node !== undefined && snapshot.servesAt(node));
}

function conflictOf({ heldElsewhere }: Findings, conflict: PlannedCondition): PlannedCondition {
  if (heldElsewhere === undefined || conflict.status === "True") return conflict;
  return yes("Conflict", heldElsewhere);
}

/** A given address on a machine that is not a node of this cluster is left to whoever put it there. */
export function heldElsewhereOf({ routed }: Snapshot, placement: Placement | undefined): Problem | undefined {
  if (placement?.holder === undefined || placement.verdict !== undefined) return undefined;
  const { address, holder } = placement;
  // Another resource's address is that resource's concern: to unassign it would take it away from its owner.
  if (address.claim?.ours === false) return undefined;
  // It was there by our own doing: the node is gone, the machine not yet.
  if (address.origin !== "listed" || routed.status.providerID === holder) return undefined;
  return addressMessages.heldElsewhere({ ip: address.ip, machine: holder });
}
