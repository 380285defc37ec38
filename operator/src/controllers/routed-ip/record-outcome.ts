/** What the end of an action changes in what the unit remembers, and in what the next plan reads of the status. */

import { isMachineFault } from "../../addresses/calls/missing-machine.js";
import type { ActionFailure } from "../../addresses/calls/outcomes.js";
import type { Clock } from "../../clock.js";
import { afterFailure } from "../../reconcile/retries/retry-schedule.js";
import { timestamp } from "../../times.js";
import type { Action } from "./actions.js";
import type { Done } from "./execute.js";
import type { PendingStatus, RoutedIPState } from "./resource-state.js";

type Move = Extract<Action, { readonly do: "assign" | "unassign" | "release" | "poll" | "create-address" }>;

export function recordOutcome(resourceState: RoutedIPState, ends: readonly Done[], clock: Pick<Clock, "now">): void {
  for (const end of ends) {
    if (!isMove(end.action)) continue;
    const { action, outcome } = { action: end.action, outcome: end.outcome };
    if (outcome.is === "done") arrived(resourceState, action, clock.now());
    else if (outcome.is === "started" && action.do !== "poll") began(resourceState, action, outcome);
    else if (outcome.is === "refused") failed(resourceState, action, { failure: outcome.failure, now: clock.now() });
  }
}

function isMove(action: Action): action is Move {
  return ["assign", "unassign", "release", "poll", "create-address"].includes(action.do);
}

function arrived(resourceState: RoutedIPState, action: Move, now: number): void {
  resourceState.addressRetry = undefined;
  resourceState.creationFailure = undefined;
  const machine = targetOf(action);
  const ip = "ip" in action ? action.ip : resourceState.read()?.routed.status.routedIP;
  endMove(resourceState);
  if (action.do !== "create-address")
    resourceState.pendingStatus = {
      ...resourceState.pendingStatus,
      ...SETTLED,
      state: machine === undefined ? "unassigned" : "active",
    };
  if (machine === undefined || ip === undefined) return;
  resourceState.nodeRetries.delete(machine);
  resourceState.placement = { ip, machine, at: now };
}

const SETTLED: PendingStatus = {
  actionID: undefined,
  error: undefined,
  reason: undefined,
  retryAt: undefined,
  graceSince: undefined,
};

function began(
  resourceState: RoutedIPState,
  action: Exclude<Move, { readonly do: "poll" }>,
  { id }: { readonly id: string },
): void {
  resourceState.poll = undefined;
  if (action.do !== "assign") return;
  const { name, machine } = action.node;
  resourceState.move = { ip: action.ip, node: { name, machine } };
  const { graceSince: _grace, ...settled } = SETTLED;
  resourceState.pendingStatus = {
    ...resourceState.pendingStatus,
    ...settled,
    state: "in-progress",
    assignedNode: name,
    providerID: machine,
    actionID: id,
  };
}

interface Failed {
  readonly failure: ActionFailure;
  readonly now: number;
}

function failed(resourceState: RoutedIPState, action: Move, { failure, now }: Failed): void {
  endMove(resourceState);
  const machine = targetOf(action);
  const { reason, message } = failure.problem;
  if (machine !== undefined && isMachineFault(failure)) {
    resourceState.nodeRetries.set(machine, afterFailure(resourceState.nodeRetries.get(machine), failure, now));
    const shown = failure.noMachine === true ? ({ state: "error", reason, error: message } as const) : {};
    resourceState.pendingStatus = { ...resourceState.pendingStatus, actionID: undefined, ...shown };
    return;
  }
  if (action.do === "create-address") {
    const state = afterFailure(resourceState.creationFailure?.state, failure, now);
    resourceState.creationFailure = { ...failure.problem, retryAt: state.retryAt, state };
    return;
  }
  resourceState.addressRetry = afterFailure(resourceState.addressRetry, failure, now);
  const retryAt = timestamp(resourceState.addressRetry.retryAt);
  resourceState.pendingStatus = {
    ...resourceState.pendingStatus,
    actionID: undefined,
    state: "error",
    reason,
    error: message,
    retryAt,
  };
}

function targetOf(action: Move): string | undefined {
  if (action.do === "assign") return action.node.machine;
  if (action.do === "poll") return action.expected;
  return action.do === "create-address" && "node" in action.desired ? action.desired.node : undefined;
}

/** The node is nobody's place any more, or it is the holder. */
export function endMove(resourceState: RoutedIPState): void {
  resourceState.reservation?.release();
  resourceState.reservation = undefined;
  resourceState.move = undefined;
}
