/** Pairs addresses that may move now, unassigned ones first, then by how long they have waited, with candidates in order. */

import type { AddressStatus, Reason } from "cdk8s-flipop/api";
import { ASSIGNMENT_OVER_MS, DUE_READ_MS } from "../bounds.js";
import type { WantedNodes } from "../claims/node-shares.js";
import { timeOf } from "../clock.js";
import type { NodeFacts } from "../match/node-facts.js";
import { inPreference } from "../match/node-preference.js";
import type { Problem } from "../messages/message.js";
import type { ProviderId } from "../providers/types.js";
import { isDue, leastRecentlyFailedFirst } from "../reconcile/retries.js";
import { omitUndefined } from "../values.js";
import { type AddressAction, addressLockKey } from "./actions.js";
import type { AddressSnapshot } from "./address-set.js";
import { isOurs, type Placement } from "./observed.js";
import { massFailureOf, provenFor, withinAllowance } from "./safeguards.js";
import { undonePauseUntil } from "./undone-writes.js";

export interface MovableAddresses {
  /** May move now. */
  readonly free: readonly Placement[];
  /** Would move, but waits after a failure. */
  readonly later: readonly { readonly placement: Placement; readonly until: number }[];
}

export function movableAddressesOf(snapshot: AddressSnapshot, placements: readonly Placement[]): MovableAddresses {
  const free: Placement[] = [];
  const later: { readonly placement: Placement; readonly until: number }[] = [];
  for (const placement of placements.filter(isMovable)) {
    const until = waitsUntil(snapshot, placement);
    if (until === undefined) free.push(placement);
    else later.push({ placement, until });
  }
  // Stable: among equals the order of `desired.addresses`.
  return { free: free.sort((a, b) => releasedAt(a, snapshot.now) - releasedAt(b, snapshot.now)), later };
}

/** An address does not move while it is unconfirmed or an action on it runs. */
function isMovable(placement: Placement): boolean {
  const { address, certainty, holder, grace } = placement;
  if (!address.wanted || !isOurs(placement) || certainty !== "seen") return false;
  return holder === undefined || grace?.state === "over";
}

function waitsUntil(snapshot: AddressSnapshot, placement: Placement): number | undefined {
  const { now, memory } = snapshot;
  const { address, was } = placement;
  const retries = [ownRetryAt(was), memory.accountRetryAt?.get(addressLockKey(address.ip))];
  const due = retries.filter((retryAt) => !isDue(retryAt, now));
  const undone = undonePauseUntil(memory.reverts.get(address.ip), now);
  const waits = [...due, accountUntil(snapshot), undone, massFailureOf(snapshot, placement)?.until];
  const latest = Math.max(...waits.map((until) => until ?? 0));
  return latest > now ? latest : undefined;
}

/** Reasons of the account alone: what waits for it is tried as soon as it answers, whatever time the status names. */
const OF_ACCOUNT: ReadonlySet<string | undefined> = new Set<Reason>(["Unauthorized", "RateLimited"]);

/** When a failure of the address itself may be tried again. */
export function ownRetryAt({ reason, retryAt }: AddressStatus): number | undefined {
  return OF_ACCOUNT.has(reason) ? undefined : timeOf(retryAt);
}

/** While the account fails, only a read of it shows when that is over; `undefined`: it does not fail. */
export function accountUntil({ now, providerRetryAt }: AddressSnapshot): number | undefined {
  return providerRetryAt === undefined ? undefined : Math.max(providerRetryAt, now + DUE_READ_MS);
}

function releasedAt({ holder, grace }: Placement, now: number): number {
  if (holder === undefined) return Number.NEGATIVE_INFINITY;
  return grace?.state === "over" ? grace.since : now;
}

const REGION_LABEL = "topology.kubernetes.io/region";

/** Regions that nodes are looked for in; `any`: all. */
export type Regions = ReadonlySet<string> | "any";

/** A candidate whose machine is known. */
export interface WaitingNode extends NodeFacts {
  readonly machine: ProviderId;
}

export interface WaitingNodes extends Wanting {
  /** All candidates without an address, in order: what the status shows. */
  readonly waiting: readonly WaitingNode[];
  /** The same, those that one of the addresses can go to now first: the operator probes the first ones. */
  readonly inTurn: readonly WaitingNode[];
  /** Those of them that other resources leave to this one. */
  readonly shared: readonly WaitingNode[];
}

/** What looks for nodes. */
export interface Wanting extends WantedNodes {
  /** Where these can go. */
  readonly regions: Regions;
  /** Nodes that one of them can go to at all. @default all nodes */
  readonly proven?: ((node: WaitingNode) => boolean) | undefined;
}

export function waitingNodesOf(
  snapshot: AddressSnapshot,
  placements: readonly Placement[],
  wanting: Wanting,
): WaitingNodes {
  return waitingAmong(snapshot, freeNodes(snapshot, placements), wanting);
}

/** Candidates with room for an address, in the order of preference. */
function freeNodes(snapshot: AddressSnapshot, placements: readonly Placement[]): readonly WaitingNode[] {
  const taken = takenNodes(snapshot, placements);
  const free = snapshot.candidates.filter(hasMachine).filter(({ machine }) => !taken(machine));
  return inPreference(free, snapshot.set.nodePreference).filter(hasMachine);
}

/** Nodes with room that could take this address, in the order of preference. */
export function freeNodesFor(snapshot: AddressSnapshot, placement: Placement): readonly WaitingNode[] {
  const region = new Set([snapshot.capabilities?.regional === true ? (placement.facts?.region ?? "") : ""]);
  return freeNodes(snapshot, [placement]).filter((node) => isIn(node, region));
}

/** @param waiting nodes that have room for an address, in the order of preference. */
export function waitingAmong(
  { memory, now, share }: Pick<AddressSnapshot, "memory" | "now" | "share">,
  waiting: readonly WaitingNode[],
  { wants, missing, regions, proven = () => true }: Wanting,
): WaitingNodes {
  const able = leastRecentlyFailedFirst(waiting, ({ machine }) => machine, memory.nodeFailedAt)
    .filter((node) => isIn(node, regions))
    .filter(({ machine }) => isDue(memory.nodeRetryAt.get(machine), now));
  const byMachine = new Map([...able.filter(proven), ...able].map((node) => [node.machine, node]));
  const left = wants > 0 ? share({ wants, missing }, [...byMachine.keys()]) : [];
  const shared = left.flatMap((machine) => byMachine.get(machine) ?? []);
  return { waiting, wants, missing, regions, shared, inTurn: [...new Set([...able, ...waiting])] };
}

/** Full, promised to a move that is under way (of anybody), or the place of an address whose creation is not settled. */
function takenNodes(snapshot: AddressSnapshot, placements: readonly Placement[]): (machine: ProviderId) => boolean {
  const { inventory, capabilities, otherCreations, set } = snapshot;
  const limit = capabilities?.addressesPerNode ?? 1;
  const bound = new Map<ProviderId, number>();
  for (const { action, holder } of placements) {
    const target = action?.expected;
    if (target !== undefined && target !== holder) bound.set(target, (bound.get(target) ?? 0) + 1);
  }
  const creating = new Set([set.pendingCreation?.providerID, ...otherCreations.map(({ node }) => node)]);
  return (machine) =>
    creating.has(machine) ||
    inventory.reservedFor(machine) !== undefined ||
    inventory.heldCount(machine) + (bound.get(machine) ?? 0) >= limit;
}

export function hasMachine(node: NodeFacts): node is WaitingNode {
  return node.machine !== undefined;
}

/** @param missing how many addresses are to be created: in the region of the set, or anywhere if it has none. */
export function regionsOf(
  { capabilities, set }: Pick<AddressSnapshot, "capabilities" | "set">,
  { free }: MovableAddresses,
  missing: number,
): Regions {
  if (capabilities?.regional !== true) return "any";
  const created = missing > 0 ? [set.region ?? ""] : [];
  const regions = new Set([...created, ...free.map(({ facts }) => facts?.region ?? "")]);
  return regions.has("") ? "any" : regions;
}

/** Whether an address that is created on this node would be in the region of the set. */
export function isInSetRegion(
  { capabilities, set }: Pick<AddressSnapshot, "capabilities" | "set">,
  node: Pick<NodeFacts, "labels">,
): boolean {
  return capabilities?.regional !== true || isIn(node, new Set([set.region ?? ""]));
}

/** A node or an address that names no region may be anywhere. */
export function isIn(node: Pick<NodeFacts, "labels">, regions: Regions): boolean {
  const own = regionOf(node);
  return regions === "any" || regions.has("") || own === "" || regions.has(own);
}

/** Empty: it names none. In lower case, as providers name regions, whoever wrote the label. */
export function regionOf({ labels }: Pick<NodeFacts, "labels">): string {
  return labels[REGION_LABEL]?.toLowerCase() ?? "";
}

export interface Assignment {
  readonly placement: Placement;
  readonly node: WaitingNode;
}

export interface AssignmentPlan {
  /** To be assigned now. */
  readonly assignments: readonly Assignment[];
  /** Wait for the cool-off alone. */
  readonly cooling: readonly Assignment[];
  /** When the cool-off lets the next one through; `unanswered`: it begins with the answer to one. `undefined`: at once. */
  readonly coolUntil: number | "unanswered" | undefined;
  /** Wait for the limits of moves alone. */
  readonly limited: readonly Assignment[];
  /** When these limits let the next one through, ms since the epoch. */
  readonly limitedUntil?: number;
  /** Cannot begin. @default none */
  readonly blocked?: { readonly assignments: readonly Assignment[]; readonly by: Problem };
  /** Nodes wait, but none in the region of these addresses. */
  readonly elsewhere: readonly Placement[];
  /** Where nodes wait. */
  readonly regions: readonly string[];
  /** Nodes that no address of the set is left for. */
  readonly leftover: readonly WaitingNode[];
}

/** First come, first served is best here: regions divide addresses and nodes, and within one any address fits any node. */
export function assignmentsOf(
  snapshot: AddressSnapshot,
  { free }: MovableAddresses,
  waitingNodes: Pick<WaitingNodes, "shared" | "waiting">,
): AssignmentPlan {
  const { matched, ...pairs } = pairUp(snapshot, free, waitingNodes);
  const coolOffMs = coolOffOf(snapshot);
  const coolUntil = coolUntilOf(snapshot, coolOffMs);
  const { moveAllowance } = snapshot;
  const { allowed, limited } = withinAllowance(moveAllowance, matched);
  const now = coolOffMs > 0 ? allowed.slice(0, coolUntil === undefined ? 1 : 0) : allowed;
  const next = now.length > 0 && coolOffMs > 0 ? snapshot.now + coolOffMs : coolUntil;
  // While allowed ones cool off, they take no token: the others wait for the same end.
  const cooling = now.length < allowed.length ? [...allowed.slice(now.length), ...limited] : [];
  const waiting = cooling.length > 0 ? [] : limited;
  const limitedUntil = waiting.length > 0 ? moveAllowance?.nextAt : undefined;
  return { ...pairs, assignments: now, cooling, coolUntil: next, limited: waiting, ...omitUndefined({ limitedUntil }) };
}

/** ms between two assignments of the set. */
export function coolOffOf({ set }: Pick<AddressSnapshot, "set">): number {
  return set.coolOffSeconds * 1000;
}

function coolUntilOf({ set, memory, now }: AddressSnapshot, coolOffMs: number): AssignmentPlan["coolUntil"] {
  if (coolOffMs > 0 && memory.assigning === true) return "unanswered";
  const recorded = timeOf(set.lastAssignmentTime);
  const known = [recorded, inheritedOf(recorded, memory.firstPlannedAt), memory.lastAssignmentAt];
  // A time further ahead comes from a clock that was set back since, so it does not count.
  const credible = known.filter((time) => time !== undefined).filter((time) => time - now <= coolOffMs);
  const until = Math.min(Math.max(...credible), now) + coolOffMs;
  return until > now ? until : undefined;
}

/** The time is recorded before the call: one that a former process recorded was accepted later, or was not. */
function inheritedOf(recorded: number | undefined, firstPlannedAt: number | undefined): number | undefined {
  if (recorded === undefined || firstPlannedAt === undefined) return undefined;
  return Math.min(firstPlannedAt, recorded + ASSIGNMENT_OVER_MS);
}

function pairUp(
  snapshot: AddressSnapshot,
  free: readonly Placement[],
  { shared, waiting }: Pick<WaitingNodes, "shared" | "waiting">,
) {
  const regional = snapshot.capabilities?.regional === true;
  const [left, there] = [[...shared], new Set(waiting.map(regionOf))];
  const [matched, elsewhere]: [Assignment[], Placement[]] = [[], []];
  for (const placement of free) {
    const region = regional ? (placement.facts?.region ?? "") : "";
    const proven = provenFor(snapshot, [placement]);
    const at = left.findIndex((node) => isIn(node, new Set([region])) && proven?.(node) !== false);
    const [node] = at < 0 ? [] : left.splice(at, 1);
    if (node !== undefined) matched.push({ placement, node });
    else if (isNowhere(region, there)) elsewhere.push(placement);
  }
  return { matched, elsewhere, leftover: left, regions: [...there].sort() };
}

/** Nodes wait, and all of them in other regions. */
function isNowhere(region: string, there: ReadonlySet<string>): boolean {
  return there.size > 0 && region !== "" && !there.has(region) && !there.has("");
}

export const NO_ASSIGNMENTS: AssignmentPlan = {
  assignments: [],
  cooling: [],
  coolUntil: undefined,
  limited: [],
  elsewhere: [],
  leftover: [],
  regions: [],
};

type MoveAction = Extract<AddressAction, { readonly do: "assign" | "unassign" }>;

/** Where the provider can't move a held address, it only leaves its node: at the next look it is free. */
export function moveAction({ capabilities }: AddressSnapshot, pair: Assignment, why: string): MoveAction {
  const { placement, node } = pair;
  const { holder: from, address } = placement;
  const { ip } = address;
  if (from !== undefined && capabilities?.movesHeld !== true) return { do: "unassign", ip, from, why };
  const target = { name: node.name, machine: node.machine };
  return { do: "assign", ip, node: target, ...(from === undefined ? {} : { from }), why };
}
