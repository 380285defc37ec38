/**
 * One turn: look, decide, and take what the decision needs, without an `await` in between. No other resource can choose
 * the same node meanwhile.
 */

import type { ProviderId } from "../../providers/types.js";
import { given } from "../given.js";
import { creationKey, type Gathered, type GatherTools, gather } from "./gather.js";
import { goalOf } from "./goal.js";
import { endMove } from "./learn.js";
import { type Plan, plan } from "./plan.js";
import type { RoutedUnit } from "./unit.js";

export interface Turn {
  readonly gathered: Gathered;
  readonly plan: Plan;
}

/** In one turn of the process: what is decided is known to all others before they decide. */
export function look(tools: GatherTools, unit: RoutedUnit): Turn | undefined {
  const read = unit.read();
  if (read === undefined) return undefined;
  const gathered = gather(tools, unit, read);
  const made = plan(gathered.snapshot);
  const { routing } = tools;
  const { terms } = gathered.snapshot;
  const { ref, createdAt } = unit;
  if (gathered.snapshot.cachesComplete && terms !== undefined)
    routing.taints.need(ref.uid, terms.taint, made.needs.nodes);
  const { wants, nodes } = made.demand;
  routing.context.demands.set(gathered.family, { ref, createdAt, wants, candidates: () => nodes });
  unit.index?.watchHolders(made.needs.machines);
  return { gathered, plan: made };
}

/** Takes what the plan's actions need, before the first of them is begun. */
export function reserve(tools: GatherTools, unit: RoutedUnit, turn: Turn): void {
  const actions = turn.plan.steps.flatMap((step) => step.actions);
  // A move that was stopped before its call keeps nobody else from the node.
  if (!isMoving(turn.plan) && actions.every((action) => goalOf(action) === undefined)) endMove(unit);
  for (const action of actions) {
    const machine = goalOf(action);
    if (machine !== undefined) book(unit, turn, machine);
    if (action.do === "create-address") announce(tools, unit, turn, machine);
  }
}

function book(unit: RoutedUnit, { gathered }: Turn, machine: ProviderId): void {
  // Released first: the same node is reserved anew, so that its bound counts from the last decision.
  unit.reservation?.release();
  unit.reservation = gathered.account?.inventory?.reserve(machine, unit.ref);
}

function announce(
  { routing }: GatherTools,
  unit: RoutedUnit,
  { gathered }: Turn,
  machine: ProviderId | undefined,
): void {
  const { snapshot, family, account } = gathered;
  const key = creationKey(unit, { terms: snapshot.terms, family, account });
  unit.creating = true;
  routing.context.creations.set({ ...key, ...given({ node: machine }), running: true });
}

/** Its address is on its way. */
export function isMoving({ status, chains }: Plan): boolean {
  return status.state === "in-progress" || chains.some((chain) => chain[0]?.do === "poll");
}
