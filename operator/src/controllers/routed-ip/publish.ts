/** What others may know of a RoutedIP's decision, and what it takes for itself, in the turn of the decision. */

import { DONE } from "../../addresses/calls/outcomes.js";
import { omitUndefined } from "../../omit-undefined.js";
import type { ProviderId } from "../../providers/types.js";
import { regardingOf } from "../../reconcile/conditions/event-message.js";
import { type ActionSequence, actionsOf } from "../../reconcile/plan.js";
import { eventMessageOf } from "./events.js";
import { recoveryOf } from "./firewall/firewall-calls.js";
import { creationKey, type GatherTools } from "./gather.js";
import type { Gathered, IssuedGathered, JobsGathered } from "./gathered.js";
import { count, labelsOf } from "./metrics.js";
import { endMove, type RoutedKind, type RoutedState } from "./routed-state.js";
import { pollKey, UPDATE } from "./update/lock-keys.js";
import type { RoutedPlan } from "./update/sequences.js";

type RoutedAction = RoutedKind["action"];

export function publish(tools: GatherTools, state: RoutedState, gathered: Gathered, plan: RoutedPlan): void {
  if (gathered.by === "jobs") publishJobs(tools, state, gathered, plan);
  else publishIssued(tools, state, gathered, plan);
}

/** Without a pause after the election, so that no two elect the same machine at once. */
function publishJobs(
  { routing, jobs }: GatherTools,
  state: RoutedState,
  gathered: JobsGathered,
  plan: RoutedPlan,
): void {
  const { decision } = plan;
  if (decision.by !== "jobs" || jobs === undefined) return;
  const { ref, memory } = state;
  const { cachesComplete, resolvedClass, job } = gathered.snapshot;
  if (decision.settled) memory.job = {};
  if (cachesComplete && resolvedClass !== undefined) routing.taints.need(ref.uid, resolvedClass.taint, decision.nodes);
  jobs.aims.set(ref.uid, decision.sequence, job);
}

function publishIssued(tools: GatherTools, state: RoutedState, gathered: IssuedGathered, plan: RoutedPlan): void {
  const { decision } = plan;
  if (decision.by !== "issuer") return;
  const { routing, jobs } = tools;
  const { ref, createdAt, memory } = state;
  const { cachesComplete, resolvedClass } = gathered.snapshot;
  const { needs, waitingNodes } = decision;
  if (cachesComplete && resolvedClass !== undefined) routing.taints.need(ref.uid, resolvedClass.taint, needs.nodes);
  const { wants, nodes } = waitingNodes;
  routing.context.nodeRequests.set(gathered.family, { ref, createdAt, wants, candidates: () => nodes });
  memory.follower.index?.watchHolders(needs.machines);
  jobs?.aims.set(ref.uid, [], undefined);
  noteArrival(tools, state, gathered);
  followFirewall(tools, state, gathered);
  // A move that was stopped before its call keeps no other resource from the node.
  const goals = plan.sequences.flatMap(actionsOf).map(goalOf);
  const moves = isMoving(plan) || state.inFlight.has(UPDATE) || goals.some((goal) => goal !== undefined);
  if (!moves) endMove(memory);
}

/** Its address is on its way. */
function isMoving({ status, sequences }: RoutedPlan): boolean {
  return status.state === "in-progress" || sequences.flatMap(actionsOf).some((action) => action.do === "poll");
}

export function goalOf(action: RoutedAction): ProviderId | undefined {
  if (action.do === "assign") return action.node.machine;
  return action.do === "create-address" && "node" in action.desired ? action.desired.node : undefined;
}

/** A move whose end a list or another reading has shown, before its action was checked. */
function noteArrival({ routing: { context } }: GatherTools, state: RoutedState, { snapshot }: IssuedGathered): void {
  const { move } = state.memory;
  if (move === undefined || state.inFlight.has(pollKey(move.ip))) return;
  const facts = snapshot.inventory.get(move.ip);
  if (facts?.holder !== move.node.machine || facts.action !== undefined) return;
  state.memory.move = undefined;
  const action = { do: "assign", ip: move.ip, node: move.node, why: `${move.ip} is on ${move.node.name}` } as const;
  const result = { action, outcome: DONE };
  count(context.metrics, labelsOf(context, snapshot), result);
  const message = eventMessageOf(snapshot, result);
  if (message !== undefined) context.events.record({ regarding: regardingOf(state.ref), ...message });
}

/** Others may get the answer that this RoutedIP waits for, too. */
function followFirewall({ routing }: GatherTools, state: RoutedState, gathered: IssuedGathered): void {
  const { firewall } = gathered.snapshot;
  if (firewall?.failure === undefined) return;
  const read = { do: "read-firewall", name: firewall.name, nodes: [], why: "" } as const;
  recoveryOf(routing, gathered, read)?.onRecovery?.(state.ref.uid, () => state.enqueue());
}

/** Takes what the actions of a sequence need, before the first of them is begun. */
export function reserve(
  { routing }: GatherTools,
  { memory, ref }: RoutedState,
  gathered: Gathered,
  sequence: ActionSequence<RoutedAction>,
): void {
  if (gathered.by === "jobs") return;
  for (const action of actionsOf(sequence)) {
    const machine = goalOf(action);
    if (machine !== undefined) {
      // Released first: the same node is reserved anew, so that its bound counts from the last decision.
      memory.reservation?.release();
      memory.reservation = gathered.account?.inventory?.reserve(machine, ref);
    }
    if (action.do !== "create-address") continue;
    const { snapshot, family, account } = gathered;
    const key = creationKey({ ref }, { resolvedClass: snapshot.resolvedClass, family, account });
    memory.creating = "announced";
    routing.context.creations.set({ ...key, ...omitUndefined({ node: machine }), running: true });
  }
}
