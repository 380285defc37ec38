/** Conditions, with words that help. Those of the address come from the shared code first. */

import { familyOf } from "cdk8s-flipop/api";
import { isObserved } from "../../addresses/address-set.js";
import type { PlannedAddress } from "../../addresses/address-status.js";
import type { AssignmentPlan } from "../../addresses/assignments.js";
import {
  knownReason,
  conflictOf as sharedConflictOf,
  dnsReadyOf as sharedDnsReadyOf,
  readyOf as sharedReadyOf,
} from "../../addresses/conditions.js";
import type { Desired } from "../../addresses/desired.js";
import type { Placement } from "../../addresses/grace.js";
import { no, type PlannedCondition, unknown } from "../../reconcile/conditions/planned-condition.js";
import type { Problem } from "../../reconcile/conditions/problem.js";
import { electionText, limitOf } from "./election.js";
import type { FirewallPlan, FirewallSnapshot } from "./firewall/firewall.js";
import type { Snapshot } from "./snapshot.js";

export interface Findings {
  readonly desired: Desired;
  readonly address: PlannedAddress | undefined;
  readonly placement: Placement | undefined;
  readonly assignmentPlan: AssignmentPlan;
  readonly creation: Problem | undefined;
  readonly unsettled: Problem | undefined;
  readonly heldBack: readonly string[];
  readonly published: readonly string[];
  /** The address is on a machine of somebody else. */
  readonly heldElsewhere: Problem | undefined;
  readonly firewall: FirewallPlan | undefined;
}

export function conditionsOf(snapshot: Snapshot, findings: Findings): readonly PlannedCondition[] {
  const { address } = findings;
  const shared = { ...findings, addresses: address === undefined ? [] : [address] };
  const dns = sharedDnsReadyOf(snapshot, shared);
  return [
    readyOf(snapshot, findings, sharedReadyOf(snapshot, shared)),
    assigned(snapshot, findings),
    firewallReady(snapshot, findings),
    ...(dns === undefined ? [] : [dnsReadyOf(snapshot, findings, dns)]),
    conflictOf(findings, sharedConflictOf(snapshot, shared)),
  ];
}

/** True only where the whole service stands: address, node and ports. */
function readyOf(snapshot: Snapshot, findings: Findings, ready: PlannedCondition): PlannedCondition {
  if (ready.status !== "True" || ready.reason === "Paused") return ready;
  const obstacle = findings.heldElsewhere ?? snapshot.ports.problem ?? firewallProblem(findings);
  return obstacle === undefined ? withinLimit(snapshot, ready) : no("Ready", obstacle);
}

/** A limit above what a machine can hold is not reached: said, without harm. */
function withinLimit(snapshot: Snapshot, ready: PlannedCondition): PlannedCondition {
  const { resolvedClass, capabilities } = snapshot;
  const limit = resolvedClass?.perNodeIPLimit ?? 1;
  if (capabilities === undefined || limit <= limitOf(snapshot)) return ready;
  const message = `perNodeIPLimit is ${limit}, but ${resolvedClass?.provider} allows ${limitOf(snapshot)} on a machine, which holds: lower perNodeIPLimit`;
  return { ...ready, reason: "LimitUnsupported", message };
}

function firewallProblem({ firewall }: Findings): Problem | undefined {
  return firewall?.nodeProblem ?? firewall?.rulesProblem;
}

function assigned(snapshot: Snapshot, findings: Findings): PlannedCondition {
  const { address, creation, heldElsewhere } = findings;
  const blocking = blockingProblem(snapshot) ?? heldElsewhere;
  if (blocking !== undefined) return no("Assigned", blocking);
  if (!isObserved(snapshot)) return unknown("Assigned");
  return address === undefined ? notYet(snapshot, creation) : placed(snapshot, findings, address);
}

function blockingProblem(snapshot: Snapshot): Problem | undefined {
  return snapshot.problem ?? (isObserved(snapshot) ? undefined : snapshot.providerFailure);
}

function placed(snapshot: Snapshot, findings: Findings, address: PlannedAddress): PlannedCondition {
  const node = findings.placement?.verdict?.node.name;
  const serves = node !== undefined && snapshot.servesAt(node);
  const obstacle = obstacleTo(snapshot, findings);
  if (!serves) return obstacle === undefined ? onItsWay(address) : no("Assigned", obstacle);
  const message = `${address.ip} is on ${node}`;
  if (address.status.state === "in-progress") return yes("Assigned", `${message} and is about to move`);
  if (obstacle === undefined) return yes("Assigned", message);
  return { ...yes("Assigned", `${message} and cannot move: ${obstacle.message}`), reason: obstacle.reason };
}

/** Why it is not where it should be; `undefined`: it is, or is being moved. */
function obstacleTo(snapshot: Snapshot, findings: Findings): Problem | undefined {
  const { address, placement, assignmentPlan, firewall } = findings;
  const failed = address === undefined ? undefined : failureOf(address);
  if (failed !== undefined || staysOrMoves(placement)) return failed;
  if (assignmentPlan.assignments.length > 0) return firewall?.nodeProblem ?? firewall?.rulesProblem;
  const [elsewhere] = assignmentPlan.elsewhere;
  if (elsewhere === undefined) return noCandidate(snapshot, placement);
  return {
    reason: "WrongRegion",
    message: `${elsewhere.address.ip} is in region ${elsewhere.facts?.region}, where no candidate is free`,
  };
}

function failureOf({
  status: { state, reason, error = "its last action failed" },
}: PlannedAddress): Problem | undefined {
  if (state !== "error") return undefined;
  return { reason: knownReason(reason), message: error };
}

function staysOrMoves(placement: Placement | undefined): boolean {
  const state = placement?.grace?.state;
  return state === "matches" || state === "protected" || placement?.certainty === "moving";
}

function noCandidate(snapshot: Snapshot, placement: Placement | undefined): Problem {
  return { reason: "NoCandidate", message: `no node is a candidate: ${electionText(snapshot, placement)}` };
}

function notYet(snapshot: Snapshot, creation: Problem | undefined): PlannedCondition {
  if (creation !== undefined) return no("Assigned", creation);
  if (snapshot.candidates.length > 0) return { ...unknown("Assigned"), message: "an address is being created" };
  return no("Assigned", {
    reason: "NoCandidate",
    message: `no node is a candidate: ${electionText(snapshot, undefined)}`,
  });
}

function onItsWay({ ip, status }: PlannedAddress): PlannedCondition {
  const where = status.nodeName === undefined ? "" : ` to ${status.nodeName}`;
  if (status.reason === "InGrace") {
    return {
      ...no("Assigned", { reason: "InGrace", message: `${ip} stays on ${status.nodeName}, which may recover` }),
    };
  }
  return { ...unknown("Assigned"), message: `${ip} is on its way${where}` };
}

function firewallReady(snapshot: Snapshot, findings: Findings): PlannedCondition {
  const { firewall, problem, resolvedClass } = snapshot;
  const { firewall: plan } = findings;
  if (problem !== undefined) return no("FirewallReady", problem);
  if (isOfOther(findings))
    return { ...unknown("FirewallReady"), message: "the firewall is not changed: the address is not this resource's" };
  if (resolvedClass?.firewallName === undefined)
    return yes("FirewallReady", "the issuer names no firewall: none is touched");
  if (plan === undefined || firewall === undefined) return unknown("FirewallReady");
  const obstacle = plan.nodeProblem ?? plan.rulesProblem;
  return obstacle === undefined ? inStep(firewall, plan) : no("FirewallReady", obstacle);
}

/** The firewall is not read for an address that this resource may not move. */
function isOfOther({ heldElsewhere, placement }: Findings): boolean {
  return heldElsewhere !== undefined || placement?.address.claim?.ours === false;
}

function inStep({ name, facts }: FirewallSnapshot, plan: FirewallPlan): PlannedCondition {
  if (facts === "unknown" || plan.read !== undefined) return unknown("FirewallReady");
  if (plan.create !== undefined || plan.addRules.length + plan.addNodes.length > 0) {
    return { ...unknown("FirewallReady"), message: `firewall "${name}" is being updated` };
  }
  if (facts === "missing") {
    const message = `firewall "${name}" does not exist; it is created once it has a rule and a node may join it`;
    return no("FirewallReady", { reason: "FirewallNotFound", message });
  }
  const open = plan.recorded.rules.map(({ protocol, ports }) => `${protocol} ${ports}`).join(", ");
  return yes("FirewallReady", `firewall "${name}" lets ${open === "" ? "all that is needed" : open} through`);
}

/** The only address is no reason to worry about its record while it is on its way, or is answered where it is. */
function dnsReadyOf(snapshot: Snapshot, findings: Findings, dns: PlannedCondition): PlannedCondition {
  if (dns.reason !== "KeptLastKnown" || !isUp(snapshot, findings)) return dns;
  const { spec, status } = snapshot.routed;
  const written = (status.dns?.values ?? []).join(", ");
  if (written === "" || written !== findings.address?.ip) return unknown("DNSReady");
  return yes("DNSReady", `${spec.dnsRecordSet?.recordName} holds ${written}`);
}

/** Being created, being moved, or answered. */
function isUp(snapshot: Snapshot, { address, creation, placement }: Findings): boolean {
  if (address === undefined) return creation === undefined && snapshot.candidates.length > 0;
  const node = placement?.verdict?.node.name;
  return address.status.state === "in-progress" || (node !== undefined && snapshot.servesAt(node));
}

function conflictOf({ heldElsewhere }: Findings, conflict: PlannedCondition): PlannedCondition {
  if (heldElsewhere === undefined || conflict.status === "True") return conflict;
  return { type: "Conflict", status: "True", ...heldElsewhere };
}

/** A given address on a machine that is not a node of this cluster is left to whoever put it there. */
export function heldElsewhereOf({ routed }: Snapshot, placement: Placement | undefined): Problem | undefined {
  if (placement?.holder === undefined || placement.verdict !== undefined) return undefined;
  const { address, holder } = placement;
  // It was there by our own doing: the node is gone, the machine not yet.
  if (address.origin !== "listed" || routed.status.providerID === holder) return undefined;
  const kind = familyOf(address.ip);
  const message = `${address.ip} (${kind}) is on ${holder}, which is not a node of this cluster: unassign it there, or use another address`;
  return { reason: "HeldElsewhere", message };
}

function yes(type: PlannedCondition["type"], message: string): PlannedCondition {
  return { type, status: "True", reason: "Observed", message };
}
