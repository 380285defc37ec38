/**
 * One turn: look, decide, and take what the decision needs, without an `await` in between. No other resource can choose
 * the same node meanwhile.
 */

import { omitUndefined } from "../../omit-undefined.js";
import type { ProviderId } from "../../providers/types.js";
import { creationKey, type Gathered, type GatherTools, gather } from "./gather.js";
import { goalOf } from "./goal.js";
import { type Plan, plan } from "./plan.js";
import { endMove } from "./record-outcome.js";
import type { RoutedIPState } from "./resource-state.js";

export interface Iteration {
  readonly gathered: Gathered;
  readonly plan: Plan;
}

/** In one turn of the process: what is decided is known to all others before they decide. */
export function evaluate(tools: GatherTools, resourceState: RoutedIPState): Iteration | undefined {
  const read = resourceState.read();
  if (read === undefined) return undefined;
  const gathered = gather(tools, resourceState, read);
  const made = plan(gathered.snapshot);
  const { routing } = tools;
  const { resolvedClass } = gathered.snapshot;
  const { ref, createdAt } = resourceState;
  if (gathered.snapshot.cachesComplete && resolvedClass !== undefined)
    routing.taints.need(ref.uid, resolvedClass.taint, made.needs.nodes);
  const { wants, nodes } = made.waitingNodes;
  routing.context.nodeRequests.set(gathered.family, { ref, createdAt, wants, candidates: () => nodes });
  resourceState.index?.watchHolders(made.needs.machines);
  return { gathered, plan: made };
}

/** Takes what the plan's actions need, before the first of them is begun. */
export function reserve(tools: GatherTools, resourceState: RoutedIPState, iteration: Iteration): void {
  const actions = iteration.plan.steps.flatMap((step) => step.actions);
  // A move that was stopped before its call keeps nobody else from the node.
  if (!isMoving(iteration.plan) && actions.every((action) => goalOf(action) === undefined)) endMove(resourceState);
  for (const action of actions) {
    const machine = goalOf(action);
    if (machine !== undefined) registry(resourceState, iteration, machine);
    if (action.do === "create-address") announce(tools, resourceState, iteration, machine);
  }
}

function registry(resourceState: RoutedIPState, { gathered }: Iteration, machine: ProviderId): void {
  // Released first: the same node is reserved anew, so that its bound counts from the last decision.
  resourceState.reservation?.release();
  resourceState.reservation = gathered.account?.inventory?.reserve(machine, resourceState.ref);
}

function announce(
  { routing }: GatherTools,
  resourceState: RoutedIPState,
  { gathered }: Iteration,
  machine: ProviderId | undefined,
): void {
  const { snapshot, family, account } = gathered;
  const key = creationKey(resourceState, { resolvedClass: snapshot.resolvedClass, family, account });
  resourceState.creating = true;
  routing.context.creations.set({ ...key, ...omitUndefined({ node: machine }), running: true });
}

/** Its address is on its way. */
export function isMoving({ status, sequences }: Plan): boolean {
  return status.state === "in-progress" || sequences.some((sequence) => sequence[0]?.do === "poll");
}
