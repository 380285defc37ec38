/** The decision about one RoutedIP: named steps over one snapshot. Pure: no clock, log, metric or I/O. */

import { isObserved } from "../../addresses/address-set.js";
import { moveText } from "../../addresses/address-status.js";
import { assignmentsOf, NO_ASSIGNMENTS } from "../../addresses/assignments.js";
import { retryOf } from "../../addresses/conditions.js";
import { createdCopyChains } from "../../addresses/creation/created-backup.js";
import {
  type Creation,
  creatable,
  creationOf,
  creationRecoveryOf,
  unsettledOf,
} from "../../addresses/creation/creation-plan.js";
import { desiredOf } from "../../addresses/desired-addresses.js";
import { publishedOf, recordChain } from "../../addresses/dns-records.js";
import { markChains } from "../../addresses/marks/mark-plan.js";
import { wantingOf } from "../../addresses/moves/addresses-by-region.js";
import { type MovableAddresses, movableAddressesOf } from "../../addresses/moves/movable-addresses.js";
import { needsFreshList } from "../../addresses/moves/occupied-nodes.js";
import { isOurs, isServed, observedOf, type Placement, placementsOf, pollChains } from "../../addresses/placements.js";
import { unreleasedOf } from "../../addresses/release.js";
import { requeueAt } from "../../addresses/requeue-at.js";
import type { ProviderId } from "../../providers/types.js";
import type { PublishedAddresses } from "../../publishing/publications.js";
import { publishedAddresses } from "../../publishing/published-addresses.js";
import type { PlannedCondition } from "../../reconcile/conditions.js";
import type { Deletion } from "../../reconcile/plan.js";
import type { PortsFound } from "../../routing/needed-ports.js";
import { omitUndefined } from "../../values.js";
import { type ActionChain, sharedChain } from "./actions.js";
import { holderOf, supersededChain, supersededIp } from "./address/address-set.js";
import { conditionsOf, heldElsewhereOf } from "./conditions.js";
import {
  deletionChains,
  deletionOf,
  hasFinalizer,
  isDeleting,
  needsFinalizer,
  previousFirewallRemovals,
  withDeletion,
} from "./deletion.js";
import { firewallPlanOf } from "./firewall/desired-firewall.js";
import { isLeaving, replacesPrevious } from "./firewall/leave-previous-firewalls.js";
import type { FirewallPlan } from "./firewall/plan.js";
import type { FirewallSnapshot } from "./firewall/snapshot.js";
import { electionOf, limitOf, type WaitingMachines, waitingMachinesOf } from "./node-election.js";
import { refusedMarkOf } from "./refused-marks.js";
import type { Snapshot } from "./snapshot.js";
import { type PlannedStatus, plannedAddress, plannedStatus } from "./status.js";
import {
  begun,
  blocksOf,
  type Decision,
  isAble,
  isCreating,
  type Place,
  type Step,
  stepActions,
  stepsOf,
} from "./update/steps.js";

export interface Plan {
  /** In this order. A step that fails stops those that rely on it (`reliesOn`), and nothing else. */
  readonly steps: readonly Step[];
  readonly postAllow: boolean;
  /** Stand for themselves, in parallel to the steps. */
  readonly chains: readonly ActionChain[];
  readonly status: PlannedStatus;
  readonly conditions: readonly PlannedCondition[];
  /** The address for the objects of `publishTo`. Absent: these stay as they are. */
  readonly publication?: PublishedAddresses;
  /** What it would take from others (`NodeRequestRegistry.set`). */
  readonly waitingNodes: WaitingMachines;
  /** See `needsFreshList`. */
  readonly needsFreshList: boolean;
  /** Where the address is, and where it goes: what the firewall and the taints of others are measured by. */
  readonly needs: Needs;
  /** The elected node, until the address is on its way there: no other resource elects it meanwhile. */
  readonly goal?: ProviderId;
  readonly deletion?: Deletion;
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
  const decision = decide(snapshot, { desired, placements, placement, able });
  const { assignmentPlan, creation, movable, firewall } = decision;
  const moving = new Set(assignmentPlan.assignments.map((pair) => pair.placement.address.ip));
  const published = publishedOf(snapshot, placements, { moving });
  const publication = mayMove(snapshot) ? publishedAddresses(placements, moving) : undefined;
  const acts = actsOf({ snapshot, decision, placements, published }, able);
  const shown = (each: Placement | undefined) => plannedAddress(snapshot, each, begun(snapshot, decision, acts.steps));
  const address = shown(placement);
  const recorded = decision.superseded ?? placement;
  const findings = {
    ...{ ...decision, address, published, publication, heldElsewhere },
    ...{ creation: creation.problem, unsettled: unsettledOf(snapshot) },
    refusedMark: refusedMarkOf(snapshot, decision, acts),
    ...unreleasedOf(snapshot, placements),
  };
  const deletion = deletionOf(snapshot, placements, firewall);
  const requeue = requeueAt(snapshot, { placements, movable, assignmentPlan, creation });
  return {
    ...acts,
    postAllow: snapshot.resolvedClass?.postAllow ?? false,
    status: plannedStatus(snapshot, {
      ...{ address: shown(recorded), placement: recorded, heldElsewhere, ports: portsUntilMoved(snapshot, decision) },
      ...{ retryAt: retryOf(snapshot, desired.missing), joinsAt: firewall?.retryAt },
      firewall: recordedPart(snapshot, firewall),
    }),
    conditions: conditionsOf(withDeletion(snapshot, deletion), findings),
    waitingNodes: waitingMachinesOf(decision.election, isAble(snapshot, decision, acts.steps)),
    needsFreshList: needsFreshList(snapshot, decision.election, limitOf(snapshot)),
    needs: needsOf(snapshot, decision),
    ...omitUndefined({ goal: goalOf(snapshot, decision, acts.steps), publication, deletion }),
    ...earliest([requeue, snapshot.firewall?.retryAt, firewall?.retryAt], snapshot.now),
    explanation: decision.explanation,
  };
}

/** If the move fails, the ports at its holder are those that were open there. */
function portsUntilMoved({ routed }: Snapshot, { placement, target, ports }: Decision): PortsFound["ports"] {
  const { ports: before } = routed.status;
  return before !== undefined && isLeaving(placement, target) ? before : ports.ports;
}

function goalOf(snapshot: Snapshot, decision: Decision, steps: readonly Step[]): ProviderId | undefined {
  const elected = decision.assignmentPlan.assignments[0]?.node ?? decision.creation.node;
  return isAble(snapshot, decision, steps) ? elected?.machine : undefined;
}

interface Given extends Pick<Decision, "desired" | "placement"> {
  readonly placements: readonly Placement[];
  readonly able: boolean;
}

function decide(snapshot: Snapshot, { desired, placements, placement, able }: Given): Decision {
  const movable = able && placement !== undefined ? movableAddressesOf(snapshot, [placement]) : NO_SUPPLY;
  const missing = able ? creatable(snapshot, desired) : 0;
  const election = electionOf(snapshot, placement, wantingOf(snapshot, movable.free, missing));
  const assignmentPlan = able ? assignmentsOf(snapshot, movable, election) : NO_ASSIGNMENTS;
  const creation = able
    ? creationOf(snapshot, desired, assignmentPlan, isArmed(snapshot, desired.missing > 0))
    : endOfCreation(snapshot);
  const target = targetOf(snapshot, { placement, assignmentPlan, creation });
  const superseded = placements.find(({ address }) => address.ip === supersededIp(snapshot.routed));
  const holder = placeOf(snapshot, holderOf(placement, superseded));
  const ports = snapshot.portsOn([target, holder].flatMap((place) => place?.name ?? []));
  const firewall = firewallPlanOf(snapshot, { target, holder, ports, placement });
  const [pair] = assignmentPlan.assignments;
  const explanation = pair === undefined ? "" : moveText(snapshot, pair, election);
  return {
    ...{ desired, placement, superseded, assignmentPlan, creation, election, movable },
    ...{ target, holder, ports, firewall, explanation },
  };
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
function actsOf(acts: Acts, able: boolean): Pick<Plan, "steps" | "chains"> {
  const { snapshot, decision, placements } = acts;
  const { routed, inventory } = snapshot;
  const polls = inventory.complete ? pollChains(placements) : [];
  if (isDeleting(routed)) {
    return { steps: [], chains: [...polls, ...deletionChains(snapshot, placements, decision.firewall)] };
  }
  if (!isObserved(snapshot)) return { steps: [], chains: polls };
  if (routed.spec.paused === true) {
    return { steps: [], chains: [...polls, sharedChain(decision.creation.chain)].filter(isFilled) };
  }
  const kept = bookkeeping(acts, able);
  if (!able) return { steps: [], chains: [...polls, ...kept] };
  const actions = stepActions(snapshot, decision);
  const postAllow = snapshot.resolvedClass?.postAllow ?? false;
  const steps = stepsOf({ actions, blocks: blocksOf(snapshot, decision), postAllow });
  return { steps, chains: [...polls, ...kept, ...sideChains(acts)] };
}

/** Also while the address may not move: the marks say where it is. */
function marking({ snapshot, placements }: Acts): readonly ActionChain[] {
  const mayMark = snapshot.problem === undefined && hasFinalizer(snapshot.routed);
  return mayMark ? markChains(snapshot, placements) : [];
}

function bookkeeping(acts: Acts, able: boolean): readonly ActionChain[] {
  const { snapshot, placements, decision } = acts;
  const { desired, creation, placement } = decision;
  const settled = isCreating(creation) ? [] : sharedChain(creation.chain);
  const chains = createdCopyChains(snapshot, desired, placements).map(sharedChain);
  const replaced = able ? supersededChain(snapshot, placements, { next: placement, needsNode: needsNode(acts) }) : [];
  return [...chains, replaced, settled, ...marking(acts)].filter(isFilled);
}

/** The address of the spec could be assigned now, but no node has room while the one that it replaces is on its node. */
function needsNode({ snapshot, decision: { superseded, movable, assignmentPlan } }: Acts): boolean {
  const isHolder = ({ machine }: { readonly machine?: ProviderId }) => machine === superseded?.holder;
  return movable.free.length > 0 && assignmentPlan.assignments.length === 0 && snapshot.candidates.some(isHolder);
}

/** What is no step of an update: DNS, and the firewall of yesterday. */
function sideChains({ snapshot, decision, published }: Acts): readonly ActionChain[] {
  const { desired, assignmentPlan } = decision;
  const isReplaced = assignmentPlan.assignments.length === 0 && replacesPrevious(snapshot, decision);
  const records = isArmed(snapshot, false) ? sharedChain(recordChain(snapshot, published, desired.family)) : [];
  const left = isReplaced ? previousFirewallRemovals(snapshot) : [];
  return [records, ...left].filter(isFilled);
}

/** Whether the finalizer stands already, or is not needed. */
function isArmed(snapshot: Snapshot, aboutToAct: boolean): boolean {
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

/** What goes with the status. What is to be recorded before an action is an action itself. */
function recordedPart({ firewall, problem, routed }: Snapshot, plan: FirewallPlan | undefined) {
  if (firewall === undefined || plan === undefined || problem !== undefined || isDeleting(routed)) return undefined;
  // What is on record is ours to take away one day: the finalizer stands before it.
  if (!hasFinalizer(routed) || !isInStep(firewall, plan)) return undefined;
  return { name: firewall.name, recorded: plan.recorded };
}

function isInStep({ facts }: FirewallSnapshot, plan: FirewallPlan): boolean {
  const { addRules, addNodes, removeRules, removeNodes, create, read = plan.reread } = plan;
  const changes = [addRules, addNodes, removeRules, removeNodes].flat();
  return facts !== "unknown" && read === undefined && create === undefined && changes.length === 0;
}

function needsOf(snapshot: Snapshot, { target, holder, placement }: Decision): Needs {
  if (isDeleting(snapshot.routed) || (placement !== undefined && !isOurs(placement)))
    return { nodes: [], machines: [] };
  const places = [holder, target].filter((place) => place !== undefined);
  const names = places.flatMap(({ name }) => name ?? []);
  return { nodes: [...new Set(names)], machines: [...new Set(places.map(({ machine }) => machine))] };
}

function earliest(times: readonly (number | undefined)[], now: number): { readonly requeueAt?: number } {
  const ahead = times.filter((time) => time !== undefined).filter((time) => time >= now);
  return ahead.length === 0 ? {} : { requeueAt: Math.min(...ahead) };
}

function isFilled(chain: ActionChain): boolean {
  return chain.length > 0;
}

const NO_SUPPLY: MovableAddresses = { free: [], later: [] };
const NO_CREATION: Creation = { chain: [] };
