/** The status of a RoutedIP whose class works by Jobs, and its conditions. Pure. */

import type { RoutedIPStatus } from "cdk8s-flipop/api";
import { isDeleting, isPaused } from "../../../addresses/address-set.js";
import { conflictOf } from "../../../addresses/conditions.js";
import { shownMarks } from "../../../addresses/marks/holder-labels-and-taints.js";
import { timestamp } from "../../../clock.js";
import { probesDoubted, shownProbes } from "../../../health/probes-for-controllers.js";
import { stopCondition } from "../../../health/stopped-by-mass-failure.js";
import type { JobDecision } from "../../../jobs/job-decision.js";
import { notableRefusals } from "../../../match/checks.js";
import { holderText } from "../../../messages/action-reasons.js";
import { addressMessages } from "../../../messages/addresses.js";
import { firewallMessages } from "../../../messages/firewalls.js";
import { jobMessages } from "../../../messages/jobs.js";
import type { Problem } from "../../../messages/message.js";
import { busyNodes } from "../../../messages/nodes/busy-nodes.js";
import { candidateMessages } from "../../../messages/nodes/candidates.js";
import { serverMessages } from "../../../messages/provider.js";
import type { PublishedAddresses } from "../../../publishing/publications.js";
import { publishedConditions } from "../../../publishing/published-addresses.js";
import { no, type PlannedCondition, unknown, yes } from "../../../reconcile/conditions.js";
import { lackOfPorts, type PortsFound } from "../../../routing/needed-ports.js";
import type { RoutedIP } from "../../../routing/read-resources.js";
import { exclusionRemark } from "../../../routing/resolved-class.js";
import { serviceKeyOf } from "../../../routing/service.js";
import type { Election } from "./node-election.js";
import { dnsReadyOf } from "./records.js";
import { addressOf, type Change, type JobSnapshot } from "./snapshot.js";

export function statusOf(
  snapshot: JobSnapshot,
  election: Election,
  { decision, conflict }: { readonly decision: JobDecision; readonly conflict: Problem | undefined },
): Change {
  const { routed, ports, problem, now } = snapshot;
  const { status } = routed;
  const { grace, holder } = election;
  const since = grace !== undefined && grace.state !== "matches" ? timestamp(grace.since) : undefined;
  const state = conflict === undefined ? stateOf(snapshot, { grace, holder }, decision) : "error";
  return {
    ports: problem === undefined ? portsFor(routed, ports) : status.ports,
    graceSince: since,
    failedProbes: shownProbes(snapshot),
    state,
    since: state === status.state ? status.since : timestamp(now),
    retryAt: decision.do === "wait" ? retryAtOf(snapshot) : undefined,
    ...shownMarks(snapshot),
    ...(conflict === undefined ? degradedReasonOf(decision, election) : textOf(conflict)),
  };
}

/** Without a pod, the ports stay as they were; what the class does not allow goes. */
export function portsFor({ status }: RoutedIP, { ports, refused }: PortsFound): RoutedIPStatus["ports"] {
  return ports.length > 0 || refused !== undefined ? ports : status.ports;
}

function stateOf(
  snapshot: JobSnapshot,
  election: Pick<Election, "grace" | "holder">,
  decision: JobDecision,
): RoutedIPStatus["state"] {
  switch (decision.do) {
    case "give-up":
    case "retry":
      return "error";
    case "create":
      return "in-progress";
    case "wait":
      if (isBetweenTries(snapshot)) return "error";
      // The firewall comes first: no Job has begun.
      if (snapshot.job === undefined)
        return snapshot.routed.status.state === "error" ? "error" : restingState(snapshot, election);
      // What the last Job reached is on record: while it goes, nothing is under way.
      return snapshot.job?.state.is === "ending" ? restingState(snapshot, election) : "in-progress";
    default:
      return restingState(snapshot, election);
  }
}

/** One Job has failed, and the next one has not begun. */
function isBetweenTries({ failure, job }: JobSnapshot): boolean {
  return failure !== undefined && (job === undefined || job.state.is === "ending");
}

function retryAtOf(snapshot: JobSnapshot): string | undefined {
  const { retry } = snapshot;
  return retry !== undefined && isBetweenTries(snapshot) ? timestamp(retry.retryAt) : undefined;
}

function restingState(
  { routed, servesAt }: JobSnapshot,
  { grace, holder }: Pick<Election, "grace" | "holder">,
): RoutedIPStatus["state"] {
  if (routed.status.providerID === undefined) return addressOf(routed) === undefined ? undefined : "unassigned";
  const serves = holder !== undefined && servesAt(holder.name);
  return grace?.state === "over" && !serves ? "no-match" : "active";
}

function textOf({ reason, message: error }: Problem): Change {
  return { reason, error };
}

function degradedReasonOf(decision: JobDecision, { grace, heldBack }: Pick<Election, "grace" | "heldBack">): Change {
  const problem = "problem" in decision ? decision.problem : heldBack?.problem;
  const inGrace = grace?.state === "protected";
  return { reason: inGrace ? "InGrace" : problem?.reason, error: problem?.message };
}

export interface Verdicts {
  readonly decision: JobDecision;
  readonly conflict: Problem | undefined;
  readonly lost: boolean;
  /** Addresses that the record set should hold. */
  readonly published: readonly string[];
  /** The address for the objects of `publishTo`. */
  readonly publication: PublishedAddresses | undefined;
  /** Why a label or a taint of nodes is not as the spec asks. */
  readonly refusedMark: Problem | undefined;
}

export function conditionsOf(
  snapshot: JobSnapshot,
  election: Election,
  { decision, conflict, lost, published, publication, refusedMark }: Verdicts,
): readonly PlannedCondition[] {
  const refused = snapshot.problem ?? conflict ?? obstacleToJobs(snapshot, decision, lost);
  const obstacle = refused ?? portsProblem(snapshot) ?? refusedMark;
  const accepted = obstacle === undefined ? acceptedOf(snapshot) : no("Accepted", obstacle);
  const dns = dnsReadyOf(snapshot, election, published);
  return [
    accepted,
    assignedOf(snapshot, election, obstacle),
    isDeleting(snapshot.set) ? closing(snapshot) : firewallOf(snapshot, election),
    ...(dns === undefined ? [] : [dns]),
    ...publishedConditions(snapshot, publication, isPaused(snapshot.set)),
    conflict === undefined ? conflictOf(snapshot, { desired: NO_ADDRESSES }) : yes("Conflict", conflict),
    ...probesDoubted(snapshot, snapshot.routed.status.conditions),
    ...massFailureOf(snapshot, election),
  ];
}

function massFailureOf({ routed }: JobSnapshot, { heldBack }: Election): readonly PlannedCondition[] {
  const { problem } = heldBack ?? {};
  return stopCondition(routed.status.conditions, problem?.reason === "MassFailure" ? problem : undefined);
}

/** Of its address, the election knows more. */
const NO_ADDRESSES = { addresses: [] };

function obstacleToJobs({ crdTooOld, routed }: JobSnapshot, decision: JobDecision, lost: boolean): Problem | undefined {
  if (crdTooOld && addressOf(routed) === undefined) return serverMessages.dropsCreation();
  if (lost) return jobMessages.addressLost();
  return "problem" in decision ? decision.problem : undefined;
}

function acceptedOf({ cachesComplete, resolvedClass, routed, passedOver = [] }: JobSnapshot): PlannedCondition {
  if (!cachesComplete) return unknown("Accepted");
  if (routed.spec.paused === true) return yes("Accepted", addressMessages.paused());
  if (passedOver.length > 0) return yes("Accepted", addressMessages.partlyServed({ ignored: passedOver }));
  return yes("Accepted", exclusionRemark(resolvedClass ?? {}) ?? jobMessages.unhindered());
}

function assignedOf(snapshot: JobSnapshot, election: Election, obstacle: Problem | undefined): PlannedCondition {
  const { problem, servesAt } = snapshot;
  const { holder, target } = election;
  if (problem !== undefined) return no("Assigned", problem);
  if (holder !== undefined && servesAt(holder.name)) return yes("Assigned", servedOn(holder.name, snapshot, election));
  if (isDeleting(snapshot.set)) return unknown("Assigned", addressMessages.beingDeleted());
  if (isPaused(snapshot.set)) return no("Assigned", pausedOn(snapshot, election));
  if (election.heldBack !== undefined) return no("Assigned", election.heldBack.problem);
  if (target === undefined) return no("Assigned", noNode(snapshot));
  return obstacle === undefined ? unknown("Assigned") : no("Assigned", obstacle);
}

/** A Job that runs may still move the address. */
function pausedOn({ routed: { status }, job }: JobSnapshot, { holder, grace }: Election): Problem {
  const { routedIP: ip, providerID } = status;
  if (ip === undefined || job !== undefined) return addressMessages.paused();
  const refusals = grace === undefined || grace.state === "matches" ? [] : grace.refusals;
  const reasons = holder && notableRefusals(refusals).map(({ reason }) => reason);
  const text = holderText({ name: holder?.name ?? `${providerID}`, reasons, age: 0 });
  return addressMessages.pausedOn({ ip, holder: providerID && text });
}

function portsProblem({ ports }: JobSnapshot): Problem | undefined {
  return ports.problem ?? ports.refused;
}

function noNode({ routed, refusals, candidates, heldOn, resolvedClass }: JobSnapshot): Problem {
  const service = serviceKeyOf(routed.metadata, routed.spec);
  const limit = resolvedClass?.perNodeIPLimit ?? 1;
  const others = candidates.filter(({ machine }) => machine !== undefined && machine !== routed.status.providerID);
  const nodes = others.map(({ name, machine = "" }) => ({ node: name, limit, held: heldOn(machine) }));
  return candidateMessages.noneForService({ service, refusals, busy: busyNodes(nodes) });
}

function servedOn(node: string, snapshot: JobSnapshot, { grace, target }: Election): Problem {
  const { routed } = snapshot;
  const place = { ip: `${routed.status.routedIP}`, node };
  if (grace?.state !== "over" || target !== undefined) return addressMessages.onNode(place);
  return addressMessages.cannotMove({ ...place, cause: noNode(snapshot) });
}

function closing({ firewall, problem }: JobSnapshot): PlannedCondition {
  const failure = problem ?? (typeof firewall === "object" ? firewall.failure : undefined);
  return failure === undefined
    ? unknown("FirewallReady", firewallMessages.beingDeleted())
    : no("FirewallReady", failure);
}

function firewallOf(snapshot: JobSnapshot, { target }: Election): PlannedCondition {
  const { firewall, problem, routed, ports, resolvedClass } = snapshot;
  if (problem !== undefined) return no("FirewallReady", problem);
  if (resolvedClass?.hasFirewallJob === false) return yes("FirewallReady", jobMessages.noFirewallJob());
  const closed = ports.refused ?? lackOfPorts(ports);
  if (closed !== undefined) return no("FirewallReady", closed);
  if (typeof firewall === "object") return no("FirewallReady", firewall.failure);
  if (firewall === "pending" || routed.status.providerID === undefined) return unknown("FirewallReady");
  return movingOf(snapshot, target) ?? yes("FirewallReady", jobMessages.firewallOpen());
}

/** Until the move is over, a firewall Job has something left to close; a new process must know that. */
function movingOf({ resolvedClass, routed }: JobSnapshot, target: Election["target"]): PlannedCondition | undefined {
  if (target === undefined || target.machine === routed.status.providerID) return undefined;
  if (resolvedClass?.postAllow !== false) return undefined;
  return unknown("FirewallReady", jobMessages.moving({ node: target.name }));
}
