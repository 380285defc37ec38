/** The decision about one pool: a list of named steps over one snapshot. Pure: no clock, log, metric or I/O. */

import { Finalizer, type PoolCounts } from "cdk8s-flipop/api";
import type { ActionChain, MarkAction, PlannedAction } from "../../addresses/actions.js";
import { hasLostHolder, isDeleting, isObserved, isPaused } from "../../addresses/address-set.js";
import { addressesOf, countsOf, type PlannedAddress, planText } from "../../addresses/address-status.js";
import { annotationChains, annotationRemovals } from "../../addresses/annotations.js";
import {
  type AssignmentPlan,
  assignmentsOf,
  NO_ASSIGNMENTS,
  type WaitingNodes,
  waitingNodesOf,
} from "../../addresses/assignments.js";
import { createdCopyChains } from "../../addresses/creation/created-backup.js";
import {
  type Creation,
  creatable,
  creationOf,
  creationRecoveryOf,
  unsettledOf,
} from "../../addresses/creation/creation-plan.js";
import { type Desired, desiredOf } from "../../addresses/desired-addresses.js";
import { publishedOf, recordChain, recordRemoval } from "../../addresses/dns-records.js";
import { hasMarks } from "../../addresses/marks/holder-labels-and-taints.js";
import { markChains, markRemovals, markTraces } from "../../addresses/marks/mark-plan.js";
import { markChanges, refusedMark } from "../../addresses/marks/refused-marks.js";
import { wantingOf } from "../../addresses/moves/addresses-by-region.js";
import { displacementsOf, isStandIn, leavingOf } from "../../addresses/moves/displacement.js";
import { type MovableAddresses, movableAddressesOf } from "../../addresses/moves/movable-addresses.js";
import { needsFreshList } from "../../addresses/moves/occupied-nodes.js";
import { observedOf, type Placement, placementsOf, pollChains } from "../../addresses/placements.js";
import { abandonedItems, deletionOf, keptBack, releaseChains, unreleasedOf, whyOver } from "../../addresses/release.js";
import { isBequeathed } from "../../addresses/releases/releasable.js";
import { requeueAt } from "../../addresses/requeue-at.js";
import { WHYS } from "../../messages/action-reasons.js";
import type { PublishedAddresses } from "../../publishing/publications.js";
import { publishedAddresses } from "../../publishing/published-addresses.js";
import type { Plan as EnginePlan } from "../../reconcile/plan.js";
import { isCleanupOverdue } from "../../reconcile/retries.js";
import { setsToDelete } from "../../records/begun-records.js";
import { listed, omitUndefined } from "../../values.js";
import { conditionsOf, unservedOf } from "./conditions.js";
import { displacementChain, moveChain, sequenceOf } from "./sequences.js";
import type { Pool, Snapshot } from "./snapshot.js";

export interface Plan extends EnginePlan<PlannedAction> {
  /** In the order of `desired.addresses`. Others leave the status. */
  readonly addresses: readonly PlannedAddress[];
  readonly counts: PoolCounts;
  /** Desired addresses that do not exist yet. */
  readonly missing: number;
  /** Candidates without an address, in the preferred order; all of them. */
  readonly waiting: readonly string[];
  /** Addresses for the objects of `publishTo`. Absent: these stay as they are. */
  readonly publication?: PublishedAddresses;
  /** What this pool would take from others (`NodeRequestRegistry.set`); 0: it can't act now. */
  readonly waitingNodes: Pick<WaitingNodes, "wants" | "missing" | "groups"> & { readonly inTurn: readonly string[] };
  /** See `needsFreshList`. */
  readonly needsFreshList: boolean;
}

export function plan(snapshot: Snapshot): Plan {
  const desired = desiredOf(snapshot);
  const placements = placementsOf(snapshot, observedOf(snapshot, desired));
  const movable = movableAddressesOf(snapshot, placements);
  const canMove = mayMove(snapshot);
  const missing = canMove ? creatable(snapshot, desired) : 0;
  const wanting = wantingOf(snapshot, canMove ? movable.free : [], missing);
  const waitingNodes = waitingNodesOf(snapshot, placements, wanting);
  const displace = (of: Parameters<typeof displacementsOf>[2]) => displacementsOf(snapshot, placements, of);
  const assignmentPlan = canMove ? assignmentsOf(snapshot, movable, waitingNodes, displace) : NO_ASSIGNMENTS;
  const creation = canMove
    ? creationOf(snapshot, desired, assignmentPlan, mayNeedCleanup(snapshot, desired))
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
  const publication = publicationIn(snapshot, decision);
  const marks = marksIn(snapshot, decision);
  const findings = {
    ...{ desired, addresses, assignmentPlan, published, publication },
    creation: creation.problem,
    unsettled: unsettledOf(snapshot),
    refusedMark: refusedMark(markChanges(marks), snapshot.memory.refusedWrites),
    ...unreleasedOf(snapshot, placements),
  };
  const requeue = requeueAt(snapshot, decision);
  const unserved = unservedOf(snapshot, placements);
  return {
    sequences: chainsOf(snapshot, decision, { published, marks }).map((chain) => sequenceOf(snapshot, chain)),
    addresses,
    conditions: conditionsOf(snapshot, findings),
    ...(unserved === undefined ? {} : { unserved }),
    missing: desired.missing,
    counts: countsOf(placements, addresses, desired, snapshot.candidates.length),
    waiting: waitingNodes.waiting.map(({ name }) => name),
    waitingNodes: {
      wants: waitingNodes.wants,
      missing: waitingNodes.missing,
      groups: waitingNodes.groups,
      inTurn: waitingNodes.inTurn.map(({ name }) => name),
    },
    needsFreshList: needsFreshList(snapshot, waitingNodes, snapshot.capabilities?.addressesPerNode ?? 1),
    ...omitUndefined({ requeueAt: requeue, publication, ignoredOfMatch: snapshot.ignoredOfMatch }),
    lostHolder: hasLostHolder(snapshot),
    ...(hasCleanup(snapshot) && { deletion: deletionOf(snapshot, placements, leftOf(snapshot, placements)) }),
    explanation: planText(snapshot, assignmentPlan, waitingNodes),
  };
}

function publishedIn(snapshot: Snapshot, { placements, assignmentPlan }: Decision): readonly string[] {
  const leaving = leavingOf(assignmentPlan.displacements);
  const standIns = placements.filter((each) => isStandIn(snapshot, each) && !leaving.has(each.address.ip));
  return publishedOf(snapshot, placements, { moving: movingIn(assignmentPlan), standIns });
}

function movingIn({ assignments }: AssignmentPlan): ReadonlySet<string> {
  return new Set(assignments.map(({ placement }) => placement.address.ip));
}

/** A paused pool, or one whose spec cannot be served, leaves the objects as they are. */
function publicationIn(snapshot: Snapshot, { placements, assignmentPlan }: Decision): PublishedAddresses | undefined {
  if (!isObserved(snapshot) || snapshot.problem !== undefined || isPaused(snapshot.set)) return undefined;
  return publishedAddresses(placements, movingIn(assignmentPlan));
}

interface Found {
  /** Addresses to publish. */
  readonly published: readonly string[];
  readonly marks: readonly (readonly MarkAction[])[];
}

/** Nothing is written before all is read; a paused pool writes nothing, but is cleaned up when it is deleted. */
function chainsOf(snapshot: Snapshot, decision: Decision, { published, marks }: Found): readonly ActionChain[] {
  const { desired, placements, assignmentPlan, creation, waitingNodes } = decision;
  const polls = snapshot.inventory.complete ? pollChains(placements) : [];
  if (isDeleting(snapshot.pool)) return [...polls, ...deletionChains(snapshot, desired, placements)].filter(isFilled);
  if (!isObserved(snapshot)) return polls;
  if (snapshot.pool.spec.paused === true) return [...polls, creation.chain].filter(isFilled);
  const bookkeeping = [finalizerChain(snapshot, desired), ...createdCopyChains(snapshot, desired, placements)];
  if (snapshot.problem !== undefined) return [creation.chain, ...polls, ...bookkeeping].filter(isFilled);
  const moves = assignmentPlan.assignments.map((pair) => moveChain(snapshot, pair, { desired, choice: waitingNodes }));
  const displacing = assignmentPlan.displacing.map((each) => displacementChain(snapshot, each));
  const records = mayNeedCleanup(snapshot, desired) ? recordChain(snapshot, published, desired.family) : [];
  const releases = releaseChains(snapshot, placements);
  const nodes = [...annotationChains(snapshot, placements, desired.family), ...marks];
  return [...moves, ...displacing, creation.chain, ...polls, ...bookkeeping, ...nodes, records, ...releases].filter(
    isFilled,
  );
}

/** Of a pool that stays. */
function marksIn(snapshot: Snapshot, { placements }: Decision): Found["marks"] {
  const { pool, problem } = snapshot;
  const mayMark = isObserved(snapshot) && problem === undefined && !isPaused(snapshot.set) && !isDeleting(pool);
  return mayMark && hasFinalizer(pool) ? markChains(snapshot, placements) : [];
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

/** Nothing that needs a cleanup is created before the finalizer is set. */
function mayNeedCleanup(snapshot: Snapshot, desired: Desired): boolean {
  return !needsFinalizer(snapshot, desired) || hasFinalizer(snapshot.pool);
}

const NO_CREATION: Creation = { chain: [] };

function isFilled(chain: ActionChain): boolean {
  return chain.length > 0;
}

function hasFinalizer({ metadata }: Pick<Pool, "metadata">): boolean {
  return metadata.finalizers?.includes(Finalizer.cleanup) === true;
}

/** Whether there is, or is about to be, state of clouds or nodes to undo, or an address to pass on. */
function needsFinalizer(snapshot: Snapshot, desired: Desired): boolean {
  return dutiesOf(snapshot, desired).length > 0;
}

/** What the operator has to do when the pool is deleted, in words. */
function dutiesOf({ pool, set, ...marks }: Snapshot, { missing, addresses }: Desired): readonly string[] {
  const { spec, status } = pool;
  const created = addresses.some(({ origin }) => origin !== "listed") || status.pendingCreation !== undefined;
  const addressesGo = spec.reclaimPolicy === "Delete" && (created || missing > 0);
  const recordsGo = spec.dnsRecordSet?.deletionPolicy === "Delete" || setsToDelete({ ...spec, ...status }).length > 0;
  const passed = addresses.filter((each) => isBequeathed(set, each)).map(({ ip }) => ip);
  return [
    ...(addressesGo ? ["releases the addresses that it created"] : []),
    ...(passed.length > 0 ? [`passes ${listed(passed)} on to the resource that lists it`] : []),
    ...(recordsGo ? ["removes records"] : []),
    ...(hasMarks(marks) ? ["removes labels or taints of nodes"] : []),
  ];
}

/** Of a pool that stays. */
function finalizerChain(snapshot: Snapshot, desired: Desired): ActionChain {
  const duties = dutiesOf(snapshot, desired);
  const [needed, there] = [duties.length > 0, hasFinalizer(snapshot.pool)];
  if (needed === there) return [];
  if (needed) return [{ do: "add-finalizer", why: `when the pool is deleted, the operator ${duties.join(", ")}` }];
  return [{ do: "remove-finalizer", abandonedItems: [], why: WHYS.nothingToCleanUp }];
}

/** Of a pool that goes. `requeueAt` is the caller's: see `requeue-at.ts`. */
function deletionChains(
  snapshot: Snapshot,
  desired: Desired,
  placements: readonly Placement[],
): readonly ActionChain[] {
  if (!hasCleanup(snapshot)) return [];
  const left = leftOf(snapshot, placements);
  const marks = snapshot.cachesComplete ? markRemovals(snapshot) : [];
  const chains = [...marks, ...(snapshot.inventory.complete ? cleanUp(snapshot, desired, placements) : [])];
  const { pool, now, memory } = snapshot;
  if (left.length > 0 && !isCleanupOverdue(pool.metadata, now, memory.cleanup)) return chains;
  const annotations = annotationRemovals(snapshot, desired.family).flat();
  const kept = keptBack(snapshot, placements);
  const why = whyOver(left, kept);
  return [[...annotations, { do: "remove-finalizer", abandonedItems: [...left, ...kept], why }]];
}

function hasCleanup({ pool }: Snapshot): boolean {
  return isDeleting(pool) && hasFinalizer(pool);
}

/** In words; empty: all is cleaned up. */
function leftOf(snapshot: Snapshot, placements: readonly Placement[]): readonly string[] {
  return [...abandonedItems(snapshot, placements), ...markTraces(snapshot)];
}

function cleanUp(snapshot: Snapshot, { family }: Desired, placements: readonly Placement[]): readonly ActionChain[] {
  const { spec } = snapshot.pool;
  const { dnsRecordSet: wanted } = spec;
  const records = wanted === undefined || wanted.deletionPolicy === "Delete" ? [recordRemoval(snapshot)] : [];
  const settled = snapshot.creating === true ? [] : [creationRecoveryOf(snapshot)?.chain ?? []];
  const addresses = releaseChains(snapshot, placements);
  return [...records, ...settled, ...addresses, ...annotationRemovals(snapshot, family)];
}
