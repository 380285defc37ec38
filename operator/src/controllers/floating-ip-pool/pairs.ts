/** Step 6: which address goes to which node, now. */

import type { Demand, WaitingNode } from "./demand.js";
import type { Standing } from "./grace.js";
import type { Snapshot } from "./snapshot.js";
import type { Supply } from "./supply.js";
import { pastTimeOf } from "./times.js";

export interface Pair {
  readonly standing: Standing;
  readonly node: WaitingNode;
}

export interface Pairing {
  /** To be assigned now. */
  readonly pairs: readonly Pair[];
  /** Wait for the cool-off alone. */
  readonly cooling: readonly Pair[];
  /** When the cool-off lets the next one through; `undefined`: at once. */
  readonly coolUntil: number | undefined;
  /** Nodes wait, but none in the region of these addresses. */
  readonly elsewhere: readonly Standing[];
  /** Nodes that no address of the pool is left for. */
  readonly leftover: readonly WaitingNode[];
}

/** Greedy is best here: the regions part addresses and nodes, and within one any address fits any node. */
export function pairsOf(snapshot: Snapshot, { free }: Supply, { shared }: Demand): Pairing {
  const { matched, elsewhere, leftover } = match(snapshot, free, shared);
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

function coolUntilOf({ pool, memory, now }: Snapshot, coolOffMs: number): number | undefined {
  const known = [pastTimeOf(pool.status.lastAssignmentTime, now), memory.lastAssignmentAt];
  const last = Math.max(...known.map((time) => Math.min(time ?? Number.NEGATIVE_INFINITY, now)));
  const until = last + coolOffMs;
  return coolOffMs > 0 && until > now ? until : undefined;
}

function match({ capabilities }: Snapshot, free: readonly Standing[], nodes: readonly WaitingNode[]) {
  const regional = capabilities?.regional ?? false;
  const left = [...nodes];
  const matched: Pair[] = [];
  const elsewhere: Standing[] = [];
  for (const standing of free) {
    const at = left.findIndex((node) => !regional || isInRegion(node, standing.facts?.region ?? ""));
    const [node] = at < 0 ? [] : left.splice(at, 1);
    if (node !== undefined) matched.push({ standing, node });
    else if (left.length > 0) elsewhere.push(standing);
  }
  return { matched, elsewhere, leftover: left };
}

const REGION_LABEL = "topology.kubernetes.io/region";

/** A node or an address that names no region may be anywhere. */
function isInRegion({ labels }: WaitingNode, region: string): boolean {
  const own = labels[REGION_LABEL];
  return own === undefined || own === "" || region === "" || own === region;
}
