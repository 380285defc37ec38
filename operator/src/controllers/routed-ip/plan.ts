/** The decision about one RoutedIP: named steps over one snapshot. Pure: no clock, log, metric or I/O. */

import { isObserved } from "../../addresses/address-set.js";
import { addressesOf } from "../../addresses/address-status.js";
import { type AssignmentPlan, assignmentsOf, NO_ASSIGNMENTS } from "../../addresses/assignments.js";
import { retryOf } from "../../addresses/conditions.js";
import { type Creation, creationOf, creationRecoveryOf, unsettledOf } from "../../addresses/creation/creation.js";
import { type Desired, desiredOf } from "../../addresses/desired.js";
import { moveText } from "../../addresses/explanation.js";
import { isOurs, isServed, type Placement, placementsOf } from "../../addresses/grace.js";
import { type MovableAddresses, movableAddressesOf } from "../../addresses/movable-addresses.js";
import { pollSequences } from "../../addresses/moves.js";
import { observedOf } from "../../addresses/observed.js";
import { publishedOf, recordChain } from "../../addresses/records.js";
import { bookkeepingSequences, isHeldBack } from "../../addresses/release.js";
import { requeueAt } from "../../addresses/requeue-at.js";
import { regionsOf } from "../../addresses/waiting-nodes.js";
import type { ProviderId } from "../../providers/types.js";
import type { PlannedCondition } from "../../reconcile/conditions/planned-condition.js";
import { rulesOf } from "../../routing/ports.js";
import { type ActionSequence, sharedChain } from "./actions.js";
import { createdIp } from "./address/address-set.js";
import { type PlannedStatus, plannedStatus, recordOf } from "./address/address-status.js";
import { conditionsOf, heldElsewhereOf } from "./conditions.js";
import {
  deletionChains,
  firewallRemoval,
  hasFinalizer,
  isDeleting,
  needsFinalizer,
  previousFirewallRemovals,
} from "./deletion.js";
import { electionOf } from "./election.js";
import { type DesiredFirewall, type FirewallPlan, type FirewallSnapshot, planFirewall } from "./firewall/firewall.js";
import type { Snapshot } from "./snapshot.js";
import { type Step, stepsOf } from "./update/steps.js";
import { blocksOf, type Decision, isCreating, type Place, stepActions } from "./update/update.js";

export interface Plan {
  /** In this order. A step that fails stops those that rely on it (`reliesOn`), and nothing else. */
  readonly steps: readonly Step[];
  readonly postAllow: boolean;
  /** Stand for themselves, in parallel to the steps. */
  readonly sequences: readonly ActionSequence[];
  readonly status: PlannedStatus;
  readonly conditions: readonly PlannedCondition[];
  /** What it would take from others (`NodeRequestRegistry.set`). */
  readonly waitingNodes: { readonly wants: number; readonly nodes: readonly ProviderId[] };
  /** Where the address is, and where it goes: what the firewall and the taints of others are measured by. */
  readonly needs: Needs;
  /** ms since the epoch. Absent: only when something happens. */
  readonly requeueAt?: number;
  /** For the log; empty where nothing moves. */
  readonly explanation: string;
}

export interface Needs {
  /** Nodes that keep the taint. */
  readonly nodes: readonly string[];
  /** Machines that stay behind the firewall. */
  readonly machines: readonly ProviderId[];
}

export function plan(snapshot: Snapshot): Plan {
  const desired = desiredOf(snapshot);
  const placements = placementsOf(snapshot, observedOf(snapshot, desired));
  const placement = placements.find(({ address }) => address.wanted);
  const heldElsewhere = heldElsewhereOf(snapshot, placement);
  const able = mayMove(snapshot) && heldElsewhere === undefined;
  const decision = decide(snapshot, { desired, placement, able });
  const { assignmentPlan, creation, movable, firewall } = decision;
  const published = publishedOf(
    snapshot,
    placements,
    new Set(assignmentPlan.assignments.map((pair) => pair.placement.address.ip)),
  );
  const acts = actsOf({ snapshot, decision, placements, published }, able);
  const address = placement && addressesOf(snapshot, [placement], begun(acts.steps, assignmentPlan))[0];
  const findings = {
    ...{ ...decision, address, published, heldElsewhere },
    creation: creation.problem,
    unsettled: unsettledOf(snapshot),
    heldBack: placements.filter((each) => isHeldBack(snapshot, each)).map((each) => each.address.ip),
  };
  const requeue = requeueAt(snapshot, { placements, movable, assignmentPlan, creation });
  return {
    ...acts,
    postAllow: snapshot.resolvedClass?.postAllow ?? false,
    status: plannedStatus(snapshot, {
      ...{ address, placement, heldElsewhere },
      retryAt: retryOf(snapshot, desired.missing),
      firewall: recordedPart(snapshot, firewall),
    }),
    conditions: conditionsOf(snapshot, findings),
    waitingNodes: { wants: decision.election.wants, nodes: decision.election.waiting.map(({ machine }) => machine) },
    needs: needsOf(snapshot, decision),
    ...earliest([requeue, snapshot.firewall?.retryAt], snapshot.now),
    explanation: decision.explanation,
  };
}

/** A move whose firewall can't be opened has not begun: the address is where it was. */
function begun(steps: readonly Step[], assignmentPlan: AssignmentPlan): AssignmentPlan {
  return steps.some(({ name }) => name === "assign") ? assignmentPlan : { ...assignmentPlan, assignments: [] };
}

interface Given {
  readonly desired: Desired;
  readonly placement: Placement | undefined;
  readonly able: boolean;
}

function decide(snapshot: Snapshot, { desired, placement, able }: Given): Decision {
  const movable = able && placement !== undefined ? movableAddressesOf(snapshot, [placement]) : NO_SUPPLY;
  const wants = able ? movable.free.length + desired.missing : 0;
  const election = electionOf(snapshot, placement, { wants, regions: regionsOf(snapshot, movable, desired.missing) });
  const assignmentPlan = able ? assignmentsOf(snapshot, movable, election) : NO_ASSIGNMENTS;
  const creation = able
    ? creationOf(snapshot, desired, assignmentPlan, isArmed(snapshot, desired.missing > 0))
    : endOfCreation(snapshot);
  const target = targetOf(snapshot, { placement, assignmentPlan, creation });
  const holder = placeOf(snapshot, placement?.holder);
  const recorded = recordOf(snapshot.routed.status, snapshot.firewall?.name);
  const firewall =
    snapshot.firewall && planFirewall(snapshot.firewall, desiredFirewall(snapshot, target, holder), recorded);
  const [pair] = assignmentPlan.assignments;
  const explanation = pair === undefined ? "" : moveText(snapshot, pair, election);
  return { desired, placement, assignmentPlan, creation, election, movable, target, holder, firewall, explanation };
}

/** A creation whose answer was lost holds up others: it is settled whatever else stands in the way. */
function endOfCreation(snapshot: Snapshot): Creation {
  return (isObserved(snapshot) ? creationRecoveryOf(snapshot) : undefined) ?? NO_CREATION;
}

interface Acts {
  readonly snapshot: Snapshot;
  readonly decision: Decision;
  readonly placements: readonly Placement[];
  readonly published: readonly string[];
}

/** Nothing is written before all is read; a paused one writes nothing, but is cleaned up when it is deleted. */
function actsOf(acts: Acts, able: boolean): Pick<Plan, "steps" | "sequences"> {
  const { snapshot, decision, placements } = acts;
  const { routed, inventory } = snapshot;
  const polls = inventory.complete ? pollSequences(placements) : [];
  if (isDeleting(routed)) {
    return { steps: [], sequences: [...polls, ...deletionChains(snapshot, placements, decision.firewall)] };
  }
  if (!isObserved(snapshot)) return { steps: [], sequences: polls };
  if (routed.spec.paused === true) {
    return { steps: [], sequences: [...polls, sharedChain(decision.creation.sequence)].filter(isFilled) };
  }
  const registries = bookkeeping(acts);
  if (!able) return { steps: [], sequences: [...polls, ...registries] };
  const actions = stepActions(snapshot, decision);
  const postAllow = snapshot.resolvedClass?.postAllow ?? false;
  const steps = stepsOf({ actions, blocks: blocksOf(snapshot, decision), postAllow });
  return { steps, sequences: [...polls, ...registries, ...sideChains(acts)] };
}

function bookkeeping({ snapshot, placements, decision: { desired, creation } }: Acts): readonly ActionSequence[] {
  const settled = isCreating(creation) ? [] : sharedChain(creation.sequence);
  const registries = bookkeepingSequences(snapshot, desired, placements).map(sharedChain);
  return [...registries, superseded(snapshot), settled].filter(isFilled);
}

/** What is no step of an update: DNS, and the firewall of yesterday. */
function sideChains({ snapshot, decision, published }: Acts): readonly ActionSequence[] {
  const { desired, firewall, assignmentPlan } = decision;
  const records = isArmed(snapshot, false) ? sharedChain(recordChain(snapshot, published, desired.family)) : [];
  const previous = snapshot.firewall?.previous === true ? firewallRemoval(snapshot, firewall) : [];
  const left =
    assignmentPlan.assignments.length === 0 && isOpen(snapshot, firewall) ? previousFirewallRemovals(snapshot) : [];
  return [records, previous, ...left].filter(isFilled);
}

/** Whether the finalizer stands already, or is not needed. */
export function isArmed(snapshot: Snapshot, aboutToAct: boolean): boolean {
  return hasFinalizer(snapshot.routed) || !needsFinalizer(snapshot, aboutToAct);
}

function mayMove(snapshot: Snapshot): boolean {
  const { routed, problem, capabilities, resolvedClass } = snapshot;
  if (!isObserved(snapshot) || problem !== undefined || capabilities === undefined) return false;
  return resolvedClass !== undefined && routed.spec.paused !== true && !isDeleting(routed);
}

function targetOf(
  snapshot: Snapshot,
  { placement, assignmentPlan, creation }: Pick<Decision, "placement" | "assignmentPlan" | "creation">,
): Place | undefined {
  const elected = assignmentPlan.assignments[0]?.node ?? creation.node ?? creatingOn(snapshot);
  if (elected !== undefined) return elected;
  if (placement === undefined || !isOurs(placement)) return undefined;
  if (placement.certainty === "moving") return placeOf(snapshot, placement.action?.expected);
  return isServed(placement) ? placeOf(snapshot, placement.holder) : undefined;
}

/** The call that creates the address on this node is on its way. */
function creatingOn(snapshot: Snapshot): Place | undefined {
  return snapshot.creating === true ? placeOf(snapshot, snapshot.routed.status.pendingCreation?.providerID) : undefined;
}

function placeOf({ verdictOf }: Snapshot, machine: ProviderId | undefined): Place | undefined {
  return machine === undefined ? undefined : { name: verdictOf(machine)?.node.name, machine };
}

/** One that goes, or names another firewall now, needs nothing (there) any more. */
function desiredFirewall(snapshot: Snapshot, target: Place | undefined, holder: Place | undefined): DesiredFirewall {
  const { routed, ports, resolvedClass, firewall } = snapshot;
  if (isDeleting(routed) || firewall?.previous === true || resolvedClass === undefined) return { rules: [] };
  return {
    rules: rulesOf(ports.ports, { nodePortRange: resolvedClass.nodePortRange, sourceRanges: ports.sourceRanges }),
    ...(target === undefined ? {} : { target: target.machine }),
    ...(holder === undefined ? {} : { holder: holder.machine }),
  };
}

/** What goes with the status. What is to be recorded before an action is an action itself. */
function recordedPart({ firewall, problem, routed }: Snapshot, plan: FirewallPlan | undefined) {
  if (firewall === undefined || plan === undefined || problem !== undefined || isDeleting(routed)) return undefined;
  // What is on record is ours to take away one day: the finalizer stands before it.
  if (!hasFinalizer(routed) || firewall.previous === true || !isInStep(firewall, plan)) return undefined;
  return { name: firewall.name, recorded: plan.recorded };
}

function isInStep({ facts }: FirewallSnapshot, plan: FirewallPlan): boolean {
  const { addRules, addNodes, removeRules, removeNodes, create, read } = plan;
  const changes = [addRules, addNodes, removeRules, removeNodes].flat();
  return facts !== "unknown" && read === undefined && create === undefined && changes.length === 0;
}

/** Nothing is missing in the firewall that is named now. */
function isOpen({ firewall }: Snapshot, plan: FirewallPlan | undefined): boolean {
  if (firewall === undefined || plan === undefined) return false;
  const { facts, failure } = firewall;
  const isThere = typeof facts === "object" && failure === undefined && plan.nodeProblem === undefined;
  const missing = plan.addRules.length + plan.addNodes.length;
  return isThere && plan.rulesProblem === undefined && plan.read === undefined && missing === 0;
}

function needsOf(snapshot: Snapshot, { target, holder, placement }: Decision): Needs {
  if (isDeleting(snapshot.routed) || (placement !== undefined && !isOurs(placement)))
    return { nodes: [], machines: [] };
  const places = [holder, target].filter((place) => place !== undefined);
  const names = places.flatMap(({ name }) => name ?? []);
  return { nodes: [...new Set(names)], machines: [...new Set(places.map(({ machine }) => machine))] };
}

/** A created address that the spec has replaced by another one is the account's again: it is not released behind one's back. */
function superseded({ routed }: Snapshot): ActionSequence {
  const created = createdIp(routed);
  if (created === undefined || !routed.spec.routedIP || routed.spec.routedIP === created) return [];
  return [
    {
      do: "forget-created",
      ip: created,
      why: `spec.routedIP is ${routed.spec.routedIP} now; ${created} stays in the account`,
    },
  ];
}

function earliest(times: readonly (number | undefined)[], now: number): { readonly requeueAt?: number } {
  const ahead = times.filter((time) => time !== undefined).filter((time) => time >= now);
  return ahead.length === 0 ? {} : { requeueAt: Math.min(...ahead) };
}

function isFilled(sequence: ActionSequence): boolean {
  return sequence.length > 0;
}

const NO_SUPPLY: MovableAddresses = { free: [], later: [] };
const NO_CREATION: Creation = { sequence: [] };
