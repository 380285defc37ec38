/** The decision about one pool: a list of named steps over one snapshot. Pure: no clock, log, metric or I/O. */

import type { PoolCounts } from "cdk8s-flipop/api";
import type { ActionSequence as Chain, ConfirmAddress, PlannedAction } from "../../addresses/actions.js";
import { isDeleting, isObserved } from "../../addresses/address-set.js";
import { addressesOf, countsOf, type PlannedAddress } from "../../addresses/address-status.js";
import { annotationChains } from "../../addresses/annotations/node-annotations.js";
import {
  type Assignment,
  type AssignmentPlan,
  assignmentsOf,
  coolOffOf,
  NO_ASSIGNMENTS,
} from "../../addresses/assignments.js";
import {
  assignmentRecord,
  type Creation,
  creatable,
  creationOf,
  creationRecoveryOf,
  unsettledOf,
} from "../../addresses/creation/creation.js";
import { type Desired, desiredOf } from "../../addresses/desired.js";
import { type Choice, moveText, planText } from "../../addresses/explanation.js";
import { type Placement, placementsOf } from "../../addresses/grace.js";
import { lockKeyOf, movedAddress } from "../../addresses/lock-key.js";
import { type MovableAddresses, movableAddressesOf } from "../../addresses/movable-addresses.js";
import { moveOf, pollSequences } from "../../addresses/moves.js";
import { observedOf } from "../../addresses/observed.js";
import { publishedOf, recordChain } from "../../addresses/records.js";
import { bookkeepingSequences, isHeldBack, releaseSequences } from "../../addresses/release.js";
import { requeueAt } from "../../addresses/requeue-at.js";
import { type Regions, regionsOf, type WaitingNodes, waitingNodesOf } from "../../addresses/waiting-nodes.js";
import { MOVE_MAX_AGE_SECONDS } from "../../bounds.js";
import { omitUndefined } from "../../omit-undefined.js";
import type { ActionSequence, Plan as EnginePlan } from "../../reconcile/plan.js";
import { conditionsOf, withOutlived } from "./conditions.js";
import { deletionChains, finalizerChain, hasFinalizer, needsFinalizer } from "./deletion.js";
import type { Snapshot } from "./snapshot.js";

export interface Plan extends EnginePlan<PlannedAction> {
  /** In the order of the wish. Those that are not in it leave the status. */
  readonly addresses: readonly PlannedAddress[];
  readonly counts: PoolCounts;
  /** Desired addresses that do not exist yet. */
  readonly missing: number;
  /** Candidates without an address, in the preferred order; all of them. */
  readonly waiting: readonly string[];
  /** What this pool would take from others (`NodeRequestRegistry.set`); 0: it can't act now. */
  readonly waitingNodes: { readonly wants: number; readonly regions: Regions };
}

export function plan(snapshot: Snapshot): Plan {
  const desired = desiredOf(snapshot);
  const placements = placementsOf(snapshot, observedOf(snapshot, desired));
  const movable = movableAddressesOf(snapshot, placements);
  const able = mayMove(snapshot);
  const missing = able ? creatable(snapshot, desired) : 0;
  const wants = able ? movable.free.length + missing : 0;
  const waitingNodes = waitingNodesOf(snapshot, placements, { wants, regions: regionsOf(snapshot, movable, missing) });
  const assignmentPlan = able ? assignmentsOf(snapshot, movable, waitingNodes) : NO_ASSIGNMENTS;
  const creation = able
    ? creationOf(snapshot, desired, assignmentPlan, isArmed(snapshot, desired))
    : (endOfCreation(snapshot) ?? NO_CREATION);
  return assemble(snapshot, { desired, placements, movable, waitingNodes, assignmentPlan, creation });
}

interface Decision {
  readonly desired: Desired;
  readonly placements: readonly Placement[];
  readonly movable: MovableAddresses;
  readonly waitingNodes: WaitingNodes;
  readonly assignmentPlan: AssignmentPlan;
  readonly creation: Creation;
}

function assemble(snapshot: Snapshot, decision: Decision): Plan {
  const { desired, placements, waitingNodes, assignmentPlan, creation } = decision;
  const addresses = addressesOf(snapshot, placements, assignmentPlan);
  const published = publishedIn(snapshot, decision);
  const findings = {
    ...{ desired, addresses, assignmentPlan, published },
    creation: creation.problem,
    unsettled: unsettledOf(snapshot),
    heldBack: placements.filter((placement) => isHeldBack(snapshot, placement)).map(({ address }) => address.ip),
  };
  const requeue = requeueAt(snapshot, decision);
  return {
    sequences: chainsOf(snapshot, decision, published).map((chain) => sequenceOf(snapshot, chain)),
    addresses,
    conditions: withOutlived(snapshot, conditionsOf(snapshot, findings)),
    missing: desired.missing,
    counts: countsOf(placements, addresses, desired, snapshot.candidates.length),
    waiting: waitingNodes.waiting.map(({ name }) => name),
    waitingNodes: { wants: waitingNodes.wants, regions: waitingNodes.regions },
    ...(requeue === undefined ? {} : { requeueAt: requeue }),
    explanation: planText(snapshot, assignmentPlan, waitingNodes),
  };
}

function publishedIn(snapshot: Snapshot, { placements, assignmentPlan }: Decision): readonly string[] {
  return publishedOf(
    snapshot,
    placements,
    new Set(assignmentPlan.assignments.map(({ placement }) => placement.address.ip)),
  );
}

/** Nothing is written before all is read; a paused pool writes nothing, but is cleaned up when it is deleted. */
function chainsOf(snapshot: Snapshot, decision: Decision, published: readonly string[]): readonly Chain[] {
  const { desired, placements, assignmentPlan, creation, waitingNodes } = decision;
  const polls = snapshot.inventory.complete ? pollSequences(placements) : [];
  if (isDeleting(snapshot.pool)) return [...polls, ...deletionChains(snapshot, desired, placements)].filter(isFilled);
  if (!isObserved(snapshot)) return polls;
  if (snapshot.pool.spec.paused === true) return [...polls, creation.sequence].filter(isFilled);
  const registries = [finalizerChain(snapshot, desired), ...bookkeepingSequences(snapshot, desired, placements)];
  if (snapshot.problem !== undefined) return [creation.sequence, ...polls, ...registries].filter(isFilled);
  const moves = assignmentPlan.assignments.map((pair) => moveChain(snapshot, pair, { desired, choice: waitingNodes }));
  const annotations = annotationChains(snapshot, placements, desired.family);
  const records = isArmed(snapshot, desired) ? recordChain(snapshot, published, desired.family) : [];
  const releases = releaseSequences(snapshot, placements);
  return [...moves, creation.sequence, ...polls, ...registries, ...annotations, records, ...releases].filter(isFilled);
}

/** An action of a chain runs only when the one before is done. */
function sequenceOf(snapshot: Snapshot, chain: Chain): ActionSequence<PlannedAction> {
  const [first] = chain;
  const notBefore = first?.do === "poll" ? snapshot.memory.pollAt?.get(first.ip) : undefined;
  const unconfirmed = confirmation(snapshot, chain);
  return { lockKey: lockKeyOf(chain), steps: [{ actions: chain }], ...omitUndefined({ notBefore, unconfirmed }) };
}

/** An address moves only on fresh data. */
function confirmation({ inventory }: Snapshot, chain: Chain): ConfirmAddress | undefined {
  const ip = movedAddress(chain);
  const facts = ip === undefined ? undefined : inventory.get(ip);
  if (facts === undefined || facts.ageSeconds <= MOVE_MAX_AGE_SECONDS) return undefined;
  return { do: "confirm-address", ip: facts.ip, why: "it is about to move" };
}

interface MoveContext {
  readonly desired: Desired;
  readonly choice: Choice;
}

function moveChain(snapshot: Snapshot, pair: Assignment, { desired, choice }: MoveContext): Chain {
  const why = moveText(snapshot, pair, choice);
  const move = moveOf(snapshot, pair, why);
  if (move.do === "unassign") return [move];
  const { ip, node } = move;
  const cooling = coolOffOf(snapshot) > 0 ? [assignmentRecord(snapshot, why)] : [];
  return [...cooling, move, { do: "annotate-node", node: node.name, ip, family: desired.family, why }];
}

/** Whether addresses may move, and new ones be created. */
function mayMove(snapshot: Snapshot): boolean {
  const { pool, problem, capabilities } = snapshot;
  if (!isObserved(snapshot) || problem !== undefined || capabilities === undefined) return false;
  return pool.spec.paused !== true && !isDeleting(pool);
}

/** A creation whose answer was lost holds up others: it is settled whatever else stands in the way of the pool. */
function endOfCreation(snapshot: Snapshot): Creation | undefined {
  return isObserved(snapshot) && snapshot.creating !== true ? creationRecoveryOf(snapshot) : undefined;
}

/** The finalizer stands before the first thing that it is for. */
function isArmed(snapshot: Snapshot, desired: Desired): boolean {
  return !needsFinalizer(snapshot, desired) || hasFinalizer(snapshot.pool);
}

const NO_CREATION: Creation = { sequence: [] };

function isFilled(sequence: Chain): boolean {
  return sequence.length > 0;
}
