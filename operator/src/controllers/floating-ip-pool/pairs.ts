/** Step 6 of `plan.ts`: which address goes to which node, now. */

import { ASSIGNMENT_OVER_MS } from "../../bounds.js";
import { clockTime, timeOf } from "../times.js";
import type { Demand, WaitingNode } from "./demand.js";
import type { Standing } from "./grace.js";
import { isIn, regionOf } from "./regions.js";
import type { Snapshot } from "./snapshot.js";
import type { Supply } from "./supply.js";

export interface Pair {
  readonly standing: Standing;
  readonly node: WaitingNode;
}

export interface Pairing {
  /** To be assigned now. */
  readonly pairs: readonly Pair[];
  /** Wait for the cool-off alone. */
  readonly cooling: readonly Pair[];
  /** When the cool-off lets the next one through; `unanswered`: it begins with the answer to one. `undefined`: at once. */
  readonly coolUntil: number | "unanswered" | undefined;
  /** Nodes wait, but none in the region of these addresses. */
  readonly elsewhere: readonly Standing[];
  /** Nodes that no address of the pool is left for. */
  readonly leftover: readonly WaitingNode[];
}

/** First come, first served is best here: regions divide addresses and nodes, and within one any address fits any node. */
export function pairsOf(snapshot: Snapshot, { free }: Supply, demand: Pick<Demand, "shared" | "waiting">): Pairing {
  const { matched, elsewhere, leftover } = match(snapshot, free, demand);
  const coolOffMs = coolOffOf(snapshot);
  const coolUntil = coolUntilOf(snapshot, coolOffMs);
  const now = coolOffMs > 0 ? matched.slice(0, coolUntil === undefined ? 1 : 0) : matched;
  const next = now.length > 0 && coolOffMs > 0 ? snapshot.now + coolOffMs : coolUntil;
  return { pairs: now, cooling: matched.slice(now.length), coolUntil: next, elsewhere, leftover };
}

/** ms between two assignments of the pool. */
export function coolOffOf({ pool }: Pick<Snapshot, "pool">): number {
  return (pool.spec.assignmentCoolOffSeconds ?? 0) * 1000;
}

function coolUntilOf({ pool, memory, now }: Snapshot, coolOffMs: number): Pairing["coolUntil"] {
  if (coolOffMs > 0 && memory.assigning === true) return "unanswered";
  const recorded = timeOf(pool.status.lastAssignmentTime);
  const known = [recorded, inheritedOf(recorded, memory.firstPlannedAt), memory.lastAssignmentAt];
  // One that lies further ahead comes from a clock that was set back since: nobody waits until that time comes again.
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
export function coolOffText({ coolUntil }: Pick<Pairing, "coolUntil">, now: number): string {
  if (coolUntil === "unanswered") return "cool-off: the next assignment waits for the answer to the last one";
  return `cool-off: next assignment at ${clockTime(coolUntil ?? now)}`;
}

function match(
  { capabilities }: Snapshot,
  free: readonly Standing[],
  { shared, waiting }: Pick<Demand, "shared" | "waiting">,
) {
  const regional = capabilities?.regional === true;
  const there = new Set(waiting.map(regionOf));
  const left = [...shared];
  const matched: Pair[] = [];
  const elsewhere: Standing[] = [];
  for (const standing of free) {
    const region = regional ? (standing.facts?.region ?? "") : "";
    const at = left.findIndex((node) => isIn(node, new Set([region])));
    const [node] = at < 0 ? [] : left.splice(at, 1);
    if (node !== undefined) matched.push({ standing, node });
    else if (isNowhere(region, there)) elsewhere.push(standing);
  }
  return { matched, elsewhere, leftover: left };
}

/** Nodes wait, and all of them in other regions. */
function isNowhere(region: string, there: ReadonlySet<string>): boolean {
  return there.size > 0 && region !== "" && !there.has(region) && !there.has("");
}
