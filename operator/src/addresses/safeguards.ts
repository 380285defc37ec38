/** What delays moves although a node waits: holders that fail together, the cool-off, and limits of moves per minute. Pure. */

import { timeOf } from "../clock.js";
import type { MassFailure } from "../health/mass-failure.js";
import { stopOf } from "../health/stopped-by-mass-failure.js";
import type { MoveAllowance } from "../limits/move-limits.js";
import { isByProbesAlone } from "../match/checks.js";
import { type Action, type ActionSequence, actionsOf } from "../reconcile/plan.js";
import { ASSIGNMENT_OVER_MS } from "../timings.js";
import { omitUndefined } from "../values.js";
import type { AddressAction } from "./actions.js";
import type { AddressSnapshot } from "./address-set.js";
import type { Placement } from "./placements.js";

/** The stop that keeps the address on its holder; `undefined`: none does. */
export function massFailureOf(
  { massFailures, set: { metadata }, now }: Pick<AddressSnapshot, "massFailures" | "set" | "now">,
  { holder: machine, verdict, grace }: Placement,
): MassFailure | undefined {
  if (machine === undefined) return undefined;
  return stopOf({ metadata, now, ...omitUndefined({ massFailures }) }, { machine, verdict, grace });
}

/** Which nodes an address may go to that leaves its holder only because probes fail: a wrong health check fails on each node. */
export function provenFor(
  { hasPassed }: Pick<AddressSnapshot, "hasPassed">,
  placements: readonly Pick<Placement, "verdict">[],
): AddressSnapshot["hasPassed"] {
  return placements.some(({ verdict }) => verdict !== undefined && isByProbesAlone(verdict)) ? hasPassed : undefined;
}

/** The pairs that the limits of moves allow now, in order; an address without a holder does not move, it only goes. */
export function withinAllowance<P extends { readonly placement: Placement }>(
  allowance: MoveAllowance | undefined,
  pairs: readonly P[],
): { readonly allowed: readonly P[]; readonly limited: readonly P[] } {
  if (allowance === undefined) return { allowed: pairs, limited: [] };
  const counts = ({ placement: { holder, address } }: P) => holder !== undefined && !allowance.begun.has(address.ip);
  const over = new Set(pairs.filter(counts).slice(Math.max(0, allowance.moves)));
  return { allowed: pairs.filter((pair) => !over.has(pair)), limited: pairs.filter((pair) => over.has(pair)) };
}

/** The addresses that a sequence takes from one node to another: the limits of moves count these. */
export function movedIps(sequence: ActionSequence<Action>): readonly string[] {
  return actionsOf(sequence)
    .filter(isMoveOffHolder)
    .map(({ ip }) => ip);
}

function isMoveOffHolder(action: Action): action is Extract<AddressAction, { readonly do: "assign" }> {
  return action.do === "assign" && "from" in action && action.from !== undefined;
}

/** ms between two assignments of the set. */
export function coolOffOf({ set }: Pick<AddressSnapshot, "set">): number {
  return set.coolOffSeconds * 1000;
}

/** When the cool-off lets the next assignment through; `unanswered`: it begins with the answer to one. `undefined`: at once. */
export function coolUntilOf(
  { set, memory, now }: AddressSnapshot,
  coolOffMs: number,
): number | "unanswered" | undefined {
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
