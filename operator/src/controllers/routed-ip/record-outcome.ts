/** What the end of a sequence changes in what this process remembers, and in what the next plan reads of the status. */

import { addressLockKey, CREATION } from "../../addresses/actions.js";
import type { ActionFailure, Outcome } from "../../addresses/call-outcomes.js";
import { noteRelease } from "../../addresses/release.js";
import { movedIps } from "../../addresses/safeguards.js";
import { timestamp } from "../../clock.js";
import type { ActionTarget } from "../../reconcile/kind.js";
import type { SequenceResult } from "../../reconcile/plan.js";
import { faultyMachine } from "../../reconcile/run-actions.js";
import { UPDATE } from "./actions.js";
import { supersededIp } from "./address/address-set.js";
import { count, labelsOf } from "./events.js";
import type { GatherTools } from "./gather.js";
import { endMove, type OfKind, type RoutedKind, type RoutedState, readOf } from "./memory.js";
import { noteCreation } from "./object-calls.js";
import type { Gathered } from "./snapshot.js";
import type { StatusChange } from "./update/sequences.js";

type RoutedAction = RoutedKind["action"];
type Move = OfKind<"assign" | "unassign" | "poll" | "create-address">;

export function recordOutcome(
  { routing }: GatherTools,
  state: RoutedState,
  gathered: Gathered,
  { sequence, results }: SequenceResult<RoutedAction>,
): void {
  const { clock, metrics, moveLimits } = routing.context;
  for (const ip of movedIps(sequence)) moveLimits.end(state.ref.uid, ip);
  for (const { action, outcome } of results) {
    noteRelease(state.memory.released, { action, outcome });
    if (isMove(action)) recordMove(state, action, outcome, clock.now());
    else if (action.do === "remove-job" && outcome.is === "done") recordJob(state, action);
    if (gathered.by === "issuer") count(metrics, labelsOf(routing.context, gathered.snapshot), { action, outcome });
  }
  if (sequence.lockKey === UPDATE) state.memory.creating = undefined;
  noteCreation(routing, state);
}

/** What an action was about, so that the engine can tell whose failure it is. */
export function targetOf(action: RoutedAction): ActionTarget {
  switch (action.do) {
    case "assign":
      return { machine: action.node.machine, node: action.node.name, ip: action.ip };
    case "unassign":
    case "release":
      return { ip: action.ip };
    case "poll":
      return { ip: action.ip, ...(action.expected === undefined ? {} : { machine: action.expected }) };
    case "create-address":
      return "node" in action.desired ? { machine: action.desired.node } : {};
    default:
      return {};
  }
}

function isMove(action: RoutedAction): action is Move {
  return ["assign", "unassign", "poll", "create-address"].includes(action.do);
}

function recordMove(state: RoutedState, action: Move, outcome: Outcome, now: number): void {
  if (outcome.is === "done") arrived(state, action, now);
  else if (outcome.is === "started") began(state, action, outcome.id);
  else if (outcome.is === "refused") {
    endMove(state.memory);
    if (isRecorded(state, action)) failed(state, action, outcome.failure);
  }
}

function arrived(state: RoutedState, action: Move, now: number): void {
  const { memory } = state;
  const { machine } = targetOf(action);
  const ip = "ip" in action ? action.ip : readOf(state)?.routed.status.routedIP;
  memory.creationFailure = undefined;
  endMove(memory);
  if (action.do !== "create-address" && isRecorded(state, action))
    change(state, machine === undefined ? leftNode(state) : { ...SETTLED, state: "active" });
  if (machine !== undefined && ip !== undefined) memory.placement = { ip, machine, at: now };
}

/** An address that goes stays disabled, or its time to leave DNS would begin again. */
function leftNode(state: RoutedState): StatusChange {
  const isLeaving = state.isDeleting() || readOf(state)?.routed.status.state === "disabled";
  return isLeaving ? { actionID: undefined, error: undefined } : { ...SETTLED, state: "unassigned" };
}

const SETTLED: StatusChange = {
  actionID: undefined,
  error: undefined,
  reason: undefined,
  retryAt: undefined,
  graceSince: undefined,
};

function began(state: RoutedState, action: Move, actionID: string): void {
  if (action.do === "poll") return;
  state.memory.poll = undefined;
  if (action.do !== "assign") return;
  const { name: assignedNode, machine: providerID } = action.node;
  state.memory.move = { ip: action.ip, node: { name: assignedNode, machine: providerID } };
  const { graceSince: _grace, ...settled } = SETTLED;
  if (isRecorded(state, action))
    change(state, { ...settled, state: "in-progress", assignedNode, providerID, actionID });
}

function failed(state: RoutedState, action: Move, failure: ActionFailure): void {
  const { memory, retries } = state;
  const { reason, message: error } = failure.problem;
  if (faultyMachine(failure, targetOf(action)) !== undefined) {
    const shown = failure.noMachine === true ? ({ state: "error", reason, error } as const) : {};
    change(state, { actionID: undefined, ...shown });
  } else if (action.do === "create-address") {
    const retryAt = retries.get(CREATION)?.retryAt;
    memory.creationFailure = retryAt === undefined ? undefined : { ...failure.problem, retryAt };
  } else if (state.isDeleting()) {
    change(state, { actionID: undefined });
  } else {
    // What the account failed has no time of its own: it is tried when the account answers again.
    const at = failure.ofAccount === true ? undefined : retries.get(addressLockKey(action.ip))?.retryAt;
    const retryAt = at === undefined ? undefined : timestamp(at);
    change(state, { actionID: undefined, state: "error", reason, error, retryAt });
  }
}

/** Of the address that the status is about: a replaced one stays on record until it is forgotten. */
function isRecorded(state: RoutedState, action: Move): boolean {
  const routed = readOf(state)?.routed;
  const superseded = routed && supersededIp(routed);
  return action.do === "create-address" || superseded === undefined || superseded === action.ip;
}

function change({ pendingStatus }: RoutedState, fields: StatusChange): void {
  for (const [field, value] of Object.entries(fields)) pendingStatus.set([field], value);
}

function recordJob({ memory }: RoutedState, { failure }: OfKind<"remove-job">): void {
  memory.job = failure?.retry === undefined ? {} : { retry: failure.retry, failure: failure.problem };
}
