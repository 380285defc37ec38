/** What delays moves although a node waits: holders that fail together, and limits of moves per minute. Pure. */

import type { MassFailure } from "../health/mass-failure.js";
import { stopOf } from "../health/stopped-by-mass-failure.js";
import type { MoveAllowance } from "../limits/move-limits.js";
import { isByProbesAlone } from "../match/checks.js";
import { type Action, type ActionSequence, actionsOf } from "../reconcile/plan.js";
import { omitUndefined } from "../values.js";
import type { AddressAction } from "./actions.js";
import type { AddressSnapshot } from "./address-set.js";
import type { Placement } from "./observed.js";

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
