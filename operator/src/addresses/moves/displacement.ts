/**
 * Addresses of a pool that it no longer asks for give their nodes to those that it asks for, where no node is free. One that
 * serves stays in DNS until then. Pure.
 */

import { isDue } from "../../reconcile/retries.js";
import { addressLockKey } from "../actions.js";
import type { AddressSnapshot } from "../address-set.js";
import { type Displacement, fitFor, freeNodes, type WaitingNode } from "../assignments.js";
import { isOurs, isServed, type Placement } from "../placements.js";
import { drainedAt, isPublished } from "../releases/dns-drain.js";
import { isSpare, maySpareLeave } from "../releases/releasable.js";

/** A node, and the address that leaves it. */
type Giver = Omit<Displacement, "placement">;

/**
 * @param unplaced addresses that may move now, and that no free node takes.
 * @param arrives another address of the set goes to a node now.
 */
export function displacementsOf(
  snapshot: AddressSnapshot,
  placements: readonly Placement[],
  { unplaced, arrives }: { readonly unplaced: readonly Placement[]; readonly arrives: boolean },
): readonly Displacement[] {
  if (unplaced.length === 0) return [];
  const left = [...giversOf(snapshot, placements)];
  const pairs = unplaced.flatMap((placement) => {
    const fits = fitFor(snapshot, placement);
    const at = left.findIndex(({ node }) => fits(node));
    const [giver] = at < 0 ? [] : left.splice(at, 1);
    return giver === undefined ? [] : [{ placement, ...giver }];
  });
  const first = pairs.find(({ leaves }) => leaves === "published")?.displaced;
  const fills = (other: Placement) => comesUp(other) || (other !== first && isStandIn(snapshot, other));
  return oneByOne(snapshot, pairs, arrives || placements.some(fills));
}

/** First those whose address is about to leave, then those that can give it up soonest; then in the order of preference. */
function giversOf(snapshot: AddressSnapshot, placements: readonly Placement[]): readonly Giver[] {
  const spare = placements.filter((placement) => isSpare(snapshot, placement));
  const able = spare.filter((placement) => isLeaving(placement) || maySpareLeave(snapshot, placement));
  if (able.length === 0) return [];
  const nodes = freeNodes(snapshot, placements, new Set(able.map(({ address }) => address.ip)));
  return nodes
    .filter(({ machine }) => isDue(snapshot.memory.nodeRetryAt.get(machine), snapshot.now))
    .flatMap((node) => giverOn(snapshot, node, able) ?? [])
    .sort((a, b) => rankOf(a) - rankOf(b));
}

/** The provider takes it off its node. */
function isLeaving({ action, certainty }: Placement): boolean {
  return certainty === "moving" && action !== undefined && action.expected === undefined && action.id !== undefined;
}

function giverOn(snapshot: AddressSnapshot, node: WaitingNode, able: readonly Placement[]): Giver | undefined {
  const there = able.filter(({ holder }) => holder === node.machine);
  const leaving = there.find(isLeaving);
  if (leaving !== undefined) return { node, displaced: leaving, leaves: "now" };
  const [first] = there;
  if (first === undefined) return undefined;
  const giver = { node, displaced: first, ...failingOf(snapshot, first) };
  const at = drainedAt(snapshot, first);
  if (at === undefined) return { ...giver, leaves: "published" };
  return { ...giver, leaves: at <= snapshot.now ? "due" : at };
}

function rankOf({ leaves, failing }: Giver): number {
  if (leaves === "now") return -2;
  if (failing === true) return Number.MAX_SAFE_INTEGER;
  if (leaves === "due") return -1;
  return typeof leaves === "number" ? leaves : Number.MAX_SAFE_INTEGER - 1;
}

/** The provider did not take it off its node lately: others come first. */
function failingOf({ memory, now }: AddressSnapshot, { address }: Placement): Pick<Giver, "failing"> {
  return isDue(memory.retryAt?.get(addressLockKey(address.ip)), now) ? {} : { failing: true };
}

/**
 * Of those that a name leads to, only the first leaves it: the others stay until its successor is there.
 * @param isNameFilled the name has another address without that one
 */
function oneByOne(
  snapshot: AddressSnapshot,
  pairs: readonly Displacement[],
  isNameFilled: boolean,
): readonly Displacement[] {
  const first = pairs.findIndex(({ leaves }) => leaves === "published");
  return pairs.map((pair, index) => {
    const isInOwnName = isPublished(snapshot, pair.displaced.address.ip);
    if (pair.leaves !== "published" || (index === first && (isNameFilled || !isInOwnName))) return pair;
    // The name would be empty without it: the name follows when the successor is there.
    return { ...pair, leaves: index === 0 ? "due" : "later" };
  });
}

/** It serves, or is on its way to a node. */
function comesUp(placement: Placement): boolean {
  const { address, action } = placement;
  return isServed(placement) || (address.wanted && isOurs(placement) && action?.id !== undefined);
}

/** Not asked for any more, and DNS leads to it on a node that is well: better than no address. */
export function isStandIn(snapshot: AddressSnapshot, placement: Placement): boolean {
  const { certainty, verdict, address } = placement;
  if (!isSpare(snapshot, placement) || certainty === "moving" || verdict?.refusals.length !== 0) return false;
  return snapshot.set.writtenDns?.values.includes(address.ip) === true;
}

/** Addresses that must not be in DNS when they leave their nodes. */
export function leavingOf(displacements: readonly Displacement[]): ReadonlySet<string> {
  return new Set(displacements.filter(({ leaves }) => leaves !== "later").map(({ displaced }) => displaced.address.ip));
}
