/** Step 6 of `plan.ts`: which address goes to which node, now. */

import { ASSIGNMENT_OVER_MS } from "../bounds.js";
import { clockTime, timeOf } from "../times.js";
import type { AddressSnapshot } from "./address-set.js";
import type { Placement } from "./grace.js";
import type { MovableAddresses } from "./movable-addresses.js";
import { isIn, regionOf, type WaitingNode, type WaitingNodes } from "./waiting-nodes.js";

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
  /** Nodes wait, but none in the region of these addresses. */
  readonly elsewhere: readonly Placement[];
  /** Nodes that no address of the set is left for. */
  readonly leftover: readonly WaitingNode[];
}

/** First come, first served is best here: regions divide addresses and nodes, and within one any address fits any node. */
export function assignmentsOf(
  snapshot: AddressSnapshot,
  { free }: MovableAddresses,
  waitingNodes: Pick<WaitingNodes, "shared" | "waiting">,
): AssignmentPlan {
  const { matched, elsewhere, leftover } = match(snapshot, free, waitingNodes);
  const coolOffMs = coolOffOf(snapshot);
  const coolUntil = coolUntilOf(snapshot, coolOffMs);
  const now = coolOffMs > 0 ? matched.slice(0, coolUntil === undefined ? 1 : 0) : matched;
  const next = now.length > 0 && coolOffMs > 0 ? snapshot.now + coolOffMs : coolUntil;
  return { assignments: now, cooling: matched.slice(now.length), coolUntil: next, elsewhere, leftover };
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

/** `cool-off: next assignment at 10:02:11`. */
export function coolOffText({ coolUntil }: Pick<AssignmentPlan, "coolUntil">, now: number): string {
  if (coolUntil === "unanswered") return "cool-off: the next assignment waits for the answer to the last one";
  return `cool-off: next assignment at ${clockTime(coolUntil ?? now)}`;
}

function match(
  { capabilities }: AddressSnapshot,
  free: readonly Placement[],
  { shared, waiting }: Pick<WaitingNodes, "shared" | "waiting">,
) {
  const regional = capabilities?.regional === true;
  const there = new Set(waiting.map(regionOf));
  const left = [...shared];
  const matched: Assignment[] = [];
  const elsewhere: Placement[] = [];
  for (const placement of free) {
    const region = regional ? (placement.facts?.region ?? "") : "";
    const at = left.findIndex((node) => isIn(node, new Set([region])));
    const [node] = at < 0 ? [] : left.splice(at, 1);
    if (node !== undefined) matched.push({ placement, node });
    else if (isNowhere(region, there)) elsewhere.push(placement);
  }
  return { matched, elsewhere, leftover: left };
}

/** Nodes wait, and all of them in other regions. */
function isNowhere(region: string, there: ReadonlySet<string>): boolean {
  return there.size > 0 && region !== "" && !there.has(region) && !there.has("");
}

export const NO_ASSIGNMENTS: AssignmentPlan = {
  assignments: [],
  cooling: [],
  coolUntil: undefined,
  elsewhere: [],
  leftover: [],
};
