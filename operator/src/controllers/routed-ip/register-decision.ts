/** What others may know of a RoutedIP's decision, and what it takes for itself, in the turn of the decision. */

import { addressLockKey } from "../../addresses/actions.js";
import { DONE } from "../../addresses/call-outcomes.js";
import { regionOfCreation } from "../../addresses/creation/creation-registry.js";
import { movedIps } from "../../addresses/safeguards.js";
import { requesterOf } from "../../claims/node-shares.js";
import type { MachineReader } from "../../health/machine-states.js";
import { followHealth, nodesOf } from "../../health/probes-for-controllers.js";
import type { ProviderId } from "../../providers/types.js";
import { regardingOf } from "../../reconcile/conditions.js";
import { type ActionSequence, actionsOf } from "../../reconcile/plan.js";
import { nodeOfJob } from "../../routing/firewall-jobs.js";
import { NO_RECORD, type Recorded } from "../../routing/firewalls/firewall-shares.js";
import type { RoutedIP } from "../../routing/read-resources.js";
import type { TaintRegistry } from "../../routing/taint-registry.js";
import { PROBED_CANDIDATES } from "../../timings.js";
import { omitUndefined } from "../../values.js";
import { pollKey, UPDATE } from "./actions.js";
import { hasFinalizer } from "./deletion.js";
import { count, eventMessageOf, labelsOf } from "./events.js";
import { recoveryOf, sharedFirewall } from "./firewall/firewall-calls.js";
import { creationKey, type GatherTools } from "./gather.js";
import { freeInOrder } from "./jobs/node-election.js";
import { addressOf } from "./jobs/snapshot.js";
import { endMove, type RoutedKind, type RoutedState } from "./memory.js";
import type { Gathered, IssuedGathered, JobsGathered } from "./snapshot.js";
import { recordOf } from "./status.js";
import type { RoutedPlan } from "./update/sequences.js";

type RoutedAction = RoutedKind["action"];
type IssuedPlan = Extract<RoutedPlan["decision"], { readonly by: "issuer" }>;
type JobsPlan = Extract<RoutedPlan["decision"], { readonly by: "jobs" }>;

export function registerDecision(tools: GatherTools, state: RoutedState, gathered: Gathered, plan: RoutedPlan): void {
  tools.routing.context.publications?.decide(state.ref.uid, plan.decision.publication);
  if (gathered.by === "jobs") registerJobDecision(tools, state, gathered, plan);
  else registerIssuedDecision(tools, state, gathered, plan);
}

/** Without a pause after the election, so that no two elect the same machine at once. */
function registerJobDecision(
  { routing, jobs }: GatherTools,
  state: RoutedState,
  gathered: JobsGathered,
  plan: RoutedPlan,
): void {
  const { decision } = plan;
  if (decision.by !== "jobs" || jobs === undefined) return;
  const { ref, memory } = state;
  // Before its class had Jobs, it may have waited for nodes of an account.
  routing.context.nodeRequests.withdraw(ref.uid);
  const { job } = gathered.snapshot;
  if (decision.settled) memory.job = {};
  takeToken(routing, gathered, decision);
  needTaint(routing.taints, gathered.snapshot, decision.nodes);
  const { routed } = gathered.snapshot;
  const waiting = [decision.elected?.providerID, ...freeInOrder(gathered.snapshot).map(({ machine }) => machine)];
  followProbed(memory, routed, { holders: [routed.status.providerID], waiting });
  const aim = { job: job && nodeOfJob(job.object), elected: decision.elected };
  if (jobs.aims.set(ref.uid, omitUndefined(aim))) jobs.onAim();
}

/** The move of an address begins with its election, and counts once however many Jobs it takes. */
function takeToken(
  { context: { moveLimits } }: GatherTools["routing"],
  { snapshot: { routed } }: JobsGathered,
  { elected }: JobsPlan,
): void {
  const ip = addressOf(routed);
  const { uid } = routed.metadata;
  const { providerID } = routed.status;
  if (ip === undefined) return;
  if (elected !== undefined && providerID !== undefined && elected.providerID !== providerID) moveLimits.begin(uid, ip);
  else moveLimits.end(uid, ip);
}

function needTaint(
  taints: TaintRegistry,
  { routed, cachesComplete, resolvedClass }: IssuedGathered["snapshot"] | JobsGathered["snapshot"],
  nodes: readonly string[],
): void {
  if (!cachesComplete || resolvedClass === undefined) return;
  taints.need(routed.metadata.uid, resolvedClass.taint, nodes, hasFinalizer(routed));
}

function registerIssuedDecision(
  tools: GatherTools,
  state: RoutedState,
  gathered: IssuedGathered,
  plan: RoutedPlan,
): void {
  const { decision } = plan;
  if (decision.by !== "issuer") return;
  const { routing, jobs } = tools;
  const { ref, memory, retries } = state;
  const { needs } = decision;
  const { state: shown, routedIP } = plan.status;
  // Where the holder is well again, the next move has not failed yet.
  if (shown === "active" && routedIP !== undefined) retries.succeeded(addressLockKey(routedIP));
  needTaint(routing.taints, gathered.snapshot, needs.nodes);
  memory.follower.index?.watchHolders(needs.machines);
  const probed = { holders: needs.machines, waiting: decision.waitingNodes.inTurn };
  followProbed(memory, gathered.snapshot.routed, { ...probed, machineReader: gathered.account?.provider });
  jobs?.aims.drop(ref.uid);
  noteArrival(tools, state, gathered);
  followFirewall(tools, state, gathered);
  shareRecords(tools, state, gathered, plan);
  routing.firewalls.need(ref.uid, needs.machines);
  if (!state.inFlight.has(UPDATE)) followGoal(state, gathered, plan, decision.goal);
  memory.needsFreshList = decision.needsFreshList;
  requestNodes(tools, state, gathered, decision.waitingNodes);
  waitForCreations(tools, state, gathered, decision.waitingNodes);
}

/** Who has its node, or takes it in a sequence that runs, is held up by no creation of another. */
function waitForCreations(
  { routing: { context } }: GatherTools,
  state: RoutedState,
  { snapshot: { otherCreations, routed } }: IssuedGathered,
  { wants }: IssuedPlan["waitingNodes"],
): void {
  const isOpen = wants > 0 || routed.status.pendingCreation !== undefined;
  if (otherCreations.length > 0 && isOpen && !state.inFlight.has(UPDATE)) context.creations.wait(state.ref);
}

/** A standby replica plans nothing: it probes the holder that the status names, so that it knows it when it leads. */
export function probeOnStandby({ routing: { context } }: GatherTools, state: RoutedState): void {
  const { routed } = state.read() ?? {};
  if (routed === undefined || context.leads()) return;
  followProbed(state.memory, routed, { holders: [routed.status.providerID], waiting: [] });
}

interface ProbedMachines {
  readonly holders: readonly (ProviderId | undefined)[];
  readonly waiting: readonly (ProviderId | undefined)[];
  readonly machineReader?: MachineReader | undefined;
}

function followProbed(
  { follower: { index }, health }: RoutedState["memory"],
  { spec }: RoutedIP,
  { holders, waiting, machineReader }: ProbedMachines,
): void {
  const known = (machines: ProbedMachines["holders"]) => [...new Set(machines.flatMap((machine) => machine ?? []))];
  const nodes = (machines: readonly ProviderId[]) => nodesOf(machines, (machine) => index?.verdictOfMachine(machine));
  followHealth(health, index, spec.healthCheck, () => {
    const held = known(holders);
    const next = known(waiting).filter((machine) => !held.includes(machine));
    return { holders: nodes(held), waiting: nodes(next.slice(0, PROBED_CANDIDATES)), machineReader };
  });
}

/** A move that was stopped before its call keeps no other resource from the node. */
function followGoal(
  state: RoutedState,
  gathered: IssuedGathered,
  plan: RoutedPlan,
  goal: ProviderId | undefined,
): void {
  const goals = [goal, ...plan.sequences.flatMap(actionsOf).map(goalOf)];
  if (!isMoving(plan) && goals.every((each) => each === undefined)) endMove(state.memory);
  else if (goal !== undefined) keepNode(state, gathered, goal);
}

/** No other resource can use a reserved node; a request for it would count it twice. */
function requestNodes(
  { routing: { context } }: GatherTools,
  state: RoutedState,
  { family, account }: IssuedGathered,
  { wants, missing, fit }: IssuedPlan["waitingNodes"],
): void {
  if (state.memory.reservation === undefined) {
    const request = { ...requesterOf(state, account), wants, missing, candidates: () => fit };
    context.nodeRequests.set(family, request);
  } else {
    context.nodeRequests.took(family, state.ref.uid);
  }
}

/** From the election on: what prepares a move, such as the taint and the firewall, is not prepared on a node of another. */
function keepNode({ memory, ref }: RoutedState, { account }: IssuedGathered, node: ProviderId): void {
  if (memory.reservation?.node === node) return;
  memory.reservation?.release();
  memory.reservation = account?.inventory?.reserve(node, ref);
}

/** Its address is on its way. */
function isMoving({ status, sequences }: RoutedPlan): boolean {
  return status.state === "in-progress" || sequences.flatMap(actionsOf).some((action) => action.do === "poll");
}

function goalOf(action: RoutedAction): ProviderId | undefined {
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

/**
 * What is on record counts for others, less what the next status drops. A plan that has yet to write to the record counts
 * from the start of its sequence on (`shareWrites`): it may never be carried out.
 */
function shareRecords(tools: GatherTools, state: RoutedState, gathered: IssuedGathered, plan: RoutedPlan): void {
  const { status } = gathered.snapshot.routed;
  for (const { name } of firewallsOf(gathered)) {
    const writing = plan.sequences.find((sequence) => actionsOf(sequence).some((action) => writesTo(name, action)));
    if (writing !== undefined && state.inFlight.has(writing.lockKey)) continue;
    share(tools, state, gathered, {
      name,
      ...recordOf(writing === undefined ? { ...status, ...plan.status } : status, name),
    });
  }
}

/**
 * Before the write, and in the turn of the decision: of those that let go of the same rule or node, each sees what the former
 * ones decided, so that the last one removes it.
 */
function shareWrites(tools: GatherTools, state: RoutedState, gathered: IssuedGathered, action: RoutedAction): void {
  for (const { name } of firewallsOf(gathered)) {
    if (!writesTo(name, action)) continue;
    share(tools, state, gathered, { name, ...(action.do === "record-firewall" ? action.recorded : NO_RECORD) });
  }
}

function writesTo(name: string, action: RoutedAction): boolean {
  return action.do === "remove-finalizer" || (action.do === "record-firewall" && action.name === name);
}

function firewallsOf({ snapshot: { firewall, previousFirewallStates = [] } }: IssuedGathered) {
  return [...(firewall === undefined ? [] : [firewall]), ...previousFirewallStates];
}

function share(
  { routing }: GatherTools,
  { ref }: RoutedState,
  gathered: IssuedGathered,
  { name, ...recorded }: Recorded & { readonly name: string },
): void {
  const { idle } = firewallsOf(gathered).find((each) => each.name === name) ?? {};
  const shared = { ...recorded, namespace: ref.namespace, ...omitUndefined({ idle }) };
  sharedFirewall(routing, gathered, name)?.record(ref.uid, shared);
}

/** Takes what the actions of a sequence need, before the first of them is begun. */
export function reserve(
  tools: GatherTools,
  state: RoutedState,
  gathered: Gathered,
  sequence: ActionSequence<RoutedAction>,
): void {
  const { routing } = tools;
  const { memory, ref } = state;
  if (gathered.by === "jobs") return;
  for (const ip of movedIps(sequence)) routing.context.moveLimits.begin(ref.uid, ip);
  for (const action of actionsOf(sequence)) {
    shareWrites(tools, state, gathered, action);
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
    const place = { ...omitUndefined({ node: machine }), ...regionOfCreation(action.desired) };
    routing.context.creations.set({ ...key, ...place, running: true });
  }
}
