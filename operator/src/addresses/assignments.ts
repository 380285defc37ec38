/** Pairs addresses that may move now with candidates in order. */

import type { NodeFacts } from "../match/node-facts.js";
import { inPreference, leastRecentlyFailedFirst } from "../match/node-preference.js";
import type { Problem } from "../messages/message.js";
import type { ProviderId } from "../providers/types.js";
import { isDue } from "../reconcile/retries.js";
import { omitUndefined } from "../values.js";
import type { AddressAction } from "./actions.js";
import type { AddressSnapshot } from "./address-set.js";
import {
  canTake,
  groupOf,
  isIn,
  regionOf,
  regionOfAddress,
  type Wanting,
  wantedGroups,
} from "./moves/addresses-by-region.js";
import type { MovableAddresses } from "./moves/movable-addresses.js";
import type { Placement } from "./placements.js";
import { coolOffOf, coolUntilOf, withinAllowance } from "./safeguards.js";

/** A candidate whose machine is known. */
export interface WaitingNode extends NodeFacts {
  readonly machine: ProviderId;
}

export interface WaitingNodes extends Wanting {
  /** All candidates without an address, in order: what the status shows. */
  readonly waiting: readonly WaitingNode[];
  /** The same, those that one of the addresses can go to now first: the operator probes the first ones. */
  readonly inTurn: readonly WaitingNode[];
  /** Those that one of the addresses can go to now: what it keeps from others. */
  readonly fit: readonly WaitingNode[];
  /** Those of them that other resources leave to this one. */
  readonly shared: readonly WaitingNode[];
}

export function waitingNodesOf(
  snapshot: AddressSnapshot,
  placements: readonly Placement[],
  wanting: Wanting,
): WaitingNodes {
  return waitingAmong(snapshot, freeNodes(snapshot, placements), wanting);
}

/**
 * Candidates with room for an address, in the order of preference.
 * @param without addresses that do not count, as if they had left their nodes
 */
export function freeNodes(
  snapshot: AddressSnapshot,
  placements: readonly Placement[],
  without: ReadonlySet<string> = new Set(),
): readonly WaitingNode[] {
  const taken = takenNodes(snapshot, placements, without);
  const free = snapshot.candidates.filter(hasMachine).filter(({ machine }) => !taken(machine));
  return inPreference(free, snapshot.set.nodePreference).filter(hasMachine);
}

/** Nodes with room that could take this address, in the order of preference. */
export function freeNodesFor(snapshot: AddressSnapshot, placement: Placement): readonly WaitingNode[] {
  const region = new Set([regionOfAddress(snapshot, placement)]);
  return freeNodes(snapshot, [placement]).filter((node) => isIn(node, region));
}

/** @param waiting nodes that have room for an address, in the order of preference. */
export function waitingAmong(
  { memory, now, share, hasPassed }: Pick<AddressSnapshot, "memory" | "now" | "share" | "hasPassed">,
  waiting: readonly WaitingNode[],
  { wants, missing, groups }: Wanting,
): WaitingNodes {
  const able = leastRecentlyFailedFirst(waiting, ({ machine }) => machine, memory.nodeFailedAt)
    .filter((node) => groups.some(({ region }) => isIn(node, new Set([region]))))
    .filter(({ machine }) => isDue(memory.nodeRetryAt.get(machine), now));
  const fit = able.filter((node) => groups.some((group) => canTake(node, group, hasPassed)));
  const byMachine = new Map(fit.map((node) => [node.machine, node]));
  const byNode = wantedGroups(groups, (machine) => byMachine.get(machine), hasPassed);
  const left = wants > 0 ? share({ wants, missing, groups: byNode }, [...byMachine.keys()]) : [];
  const shared = left.flatMap((machine) => byMachine.get(machine) ?? []);
  return { waiting, wants, missing, groups, fit, shared, inTurn: [...new Set([...able, ...waiting])] };
}

/** Full, promised to a move that is under way (of anybody), or the place of an address whose creation is not settled. */
function takenNodes(
  snapshot: AddressSnapshot,
  placements: readonly Placement[],
  without: ReadonlySet<string>,
): (machine: ProviderId) => boolean {
  const { inventory, capabilities, otherCreations, set } = snapshot;
  const limit = capabilities?.addressesPerNode ?? 1;
  const bound = new Map<ProviderId, number>();
  for (const { action, holder } of placements) {
    const target = action?.expected;
    if (target !== undefined && target !== holder) bound.set(target, (bound.get(target) ?? 0) + 1);
  }
  const creating = new Set([set.pendingCreation?.providerID, ...otherCreations.map(({ node }) => node)]);
  const leaving = (machine: ProviderId) =>
    without.size === 0 ? 0 : inventory.heldBy(machine).filter(({ ip }) => without.has(ip)).length;
  return (machine) =>
    creating.has(machine) ||
    inventory.reservedFor(machine) !== undefined ||
    inventory.heldCount(machine) - leaving(machine) + (bound.get(machine) ?? 0) >= limit;
}

export function hasMachine(node: NodeFacts): node is WaitingNode {
  return node.machine !== undefined;
}

export interface Assignment {
  readonly placement: Placement;
  readonly node: WaitingNode;
}

/** An address that gets the node of another one of the set, which is no longer wanted. */
export interface Displacement extends Assignment {
  readonly displaced: Placement;
  /**
   * When this one leaves the node. `now`: the provider takes it off. `due`: it may go. A time, ms since the epoch: when
   * resolvers have forgotten it. `published`: it has to leave DNS first. `later`: after others have left DNS.
   */
  readonly leaves: "now" | "due" | number | "published" | "later";
  /** A call to take it off has failed, and the operator tries it again later. */
  readonly failing?: true;
}

export interface AssignmentPlan {
  /** To be assigned now. */
  readonly assignments: readonly Assignment[];
  /** Those of the displacements whose node is to be freed now. */
  readonly displacing: readonly Displacement[];
  readonly displacements: readonly Displacement[];
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

/** Which nodes are to be freed for addresses that no free node takes. @param arrives others go to nodes now */
type Displace = (of: { readonly unplaced: readonly Placement[]; readonly arrives: boolean }) => readonly Displacement[];

/** First come, first served is best here: regions divide addresses and nodes, and within one any address fits any node. */
export function assignmentsOf(
  snapshot: AddressSnapshot,
  { free }: MovableAddresses,
  waitingNodes: Pick<WaitingNodes, "shared" | "waiting">,
  displace: Displace = () => [],
): AssignmentPlan {
  const { matched, unplaced, elsewhere, ...pairs } = pairUp(snapshot, free, waitingNodes);
  const displacements = displace({ unplaced, arrives: matched.length > 0 });
  const coolOffMs = coolOffOf(snapshot);
  const coolUntil = coolUntilOf(snapshot, coolOffMs);
  const { moveAllowance } = snapshot;
  const due = [...matched, ...displacements.filter(({ leaves }) => leaves === "due")];
  const { allowed, limited } = withinAllowance(moveAllowance, due);
  const now = coolOffMs > 0 ? allowed.slice(0, coolUntil === undefined ? 1 : 0) : allowed;
  const next = now.length > 0 && coolOffMs > 0 ? snapshot.now + coolOffMs : coolUntil;
  // While allowed ones cool off, they take no token: the others wait for the same end.
  const cooling = now.length < allowed.length ? [...allowed.slice(now.length), ...limited] : [];
  const waiting = cooling.length > 0 ? [] : limited;
  const limitedUntil = waiting.length > 0 ? moveAllowance?.nextAt : undefined;
  return {
    ...{ ...pairs, cooling, coolUntil: next, limited: waiting, displacements },
    elsewhere: elsewhere.filter((placement) => !displacements.some((each) => each.placement === placement)),
    assignments: now.filter((pair) => !isDisplacement(pair)),
    displacing: now.filter(isDisplacement),
    ...omitUndefined({ limitedUntil }),
  };
}

function isDisplacement(pair: Assignment): pair is Displacement {
  return "displaced" in pair;
}

function pairUp(
  snapshot: AddressSnapshot,
  free: readonly Placement[],
  { shared, waiting }: Pick<WaitingNodes, "shared" | "waiting">,
) {
  const [left, there] = [[...shared], new Set(waiting.map(regionOf))];
  const [matched, unplaced]: [Assignment[], Placement[]] = [[], []];
  for (const placement of free) {
    const at = left.findIndex(fitFor(snapshot, placement));
    const [node] = at < 0 ? [] : left.splice(at, 1);
    if (node !== undefined) matched.push({ placement, node });
    else unplaced.push(placement);
  }
  const elsewhere = unplaced.filter((placement) => isNowhere(regionOfAddress(snapshot, placement), there));
  return { matched, unplaced, elsewhere, leftover: left, regions: [...there].sort() };
}

/** Whether a node can take the address. */
export function fitFor(snapshot: AddressSnapshot, placement: Placement): (node: WaitingNode) => boolean {
  const group = groupOf(snapshot, placement);
  return (node) => canTake(node, group, snapshot.hasPassed);
}

/** Nodes wait, and all of them in other regions. */
function isNowhere(region: string, there: ReadonlySet<string>): boolean {
  return there.size > 0 && region !== "" && !there.has(region) && !there.has("");
}

export const NO_ASSIGNMENTS: AssignmentPlan = {
  assignments: [],
  displacing: [],
  displacements: [],
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
