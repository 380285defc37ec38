/** What the end of an action changes in what the unit remembers, and in what the next plan reads of the status. */

import type { Clock } from "../../clock.js";
import { isMachineFault } from "../addresses/missing-machine.js";
import type { ActionFailure } from "../addresses/outcomes.js";
import { afterFailure } from "../retry-schedule.js";
import { timestamp } from "../times.js";
import type { Action } from "./actions.js";
import type { Done } from "./execute.js";
import type { Overlay, RoutedUnit } from "./unit.js";

type Move = Extract<Action, { readonly do: "assign" | "unassign" | "release" | "poll" | "create-address" }>;

export function learn(unit: RoutedUnit, ends: readonly Done[], clock: Pick<Clock, "now">): void {
  for (const end of ends) {
    if (!isMove(end.action)) continue;
    const { action, outcome } = { action: end.action, outcome: end.outcome };
    if (outcome.is === "done") arrived(unit, action, clock.now());
    else if (outcome.is === "started" && action.do !== "poll") began(unit, action, outcome);
    else if (outcome.is === "refused") failed(unit, action, { failure: outcome.failure, now: clock.now() });
  }
}

function isMove(action: Action): action is Move {
  return ["assign", "unassign", "release", "poll", "create-address"].includes(action.do);
}

function arrived(unit: RoutedUnit, action: Move, now: number): void {
  unit.addressRetry = undefined;
  unit.creationFailure = undefined;
  const machine = targetOf(action);
  const ip = "ip" in action ? action.ip : unit.read()?.routed.status.routedIP;
  endMove(unit);
  if (action.do !== "create-address")
    unit.overlay = { ...unit.overlay, ...SETTLED, state: machine === undefined ? "unassigned" : "active" };
  if (machine === undefined || ip === undefined) return;
  unit.nodeRetries.delete(machine);
  unit.placement = { ip, machine, at: now };
}

const SETTLED: Overlay = {
  actionID: undefined,
  error: undefined,
  reason: undefined,
  retryAt: undefined,
  graceSince: undefined,
};

function began(
  unit: RoutedUnit,
  action: Exclude<Move, { readonly do: "poll" }>,
  { id }: { readonly id: string },
): void {
  unit.poll = undefined;
  if (action.do !== "assign") return;
  const { name, machine } = action.node;
  unit.move = { ip: action.ip, node: { name, machine } };
  const { graceSince: _grace, ...settled } = SETTLED;
  unit.overlay = {
    ...unit.overlay,
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

function failed(unit: RoutedUnit, action: Move, { failure, now }: Failed): void {
  endMove(unit);
  const machine = targetOf(action);
  const { reason, message } = failure.problem;
  if (machine !== undefined && isMachineFault(failure)) {
    unit.nodeRetries.set(machine, afterFailure(unit.nodeRetries.get(machine), failure, now));
    const shown = failure.noMachine === true ? ({ state: "error", reason, error: message } as const) : {};
    unit.overlay = { ...unit.overlay, actionID: undefined, ...shown };
    return;
  }
  if (action.do === "create-address") {
    const state = afterFailure(unit.creationFailure?.state, failure, now);
    unit.creationFailure = { ...failure.problem, retryAt: state.retryAt, state };
    return;
  }
  unit.addressRetry = afterFailure(unit.addressRetry, failure, now);
  const retryAt = timestamp(unit.addressRetry.retryAt);
  unit.overlay = { ...unit.overlay, actionID: undefined, state: "error", reason, error: message, retryAt };
}

function targetOf(action: Move): string | undefined {
  if (action.do === "assign") return action.node.machine;
  if (action.do === "poll") return action.expected;
  return action.do === "create-address" && "node" in action.wish ? action.wish.node : undefined;
}

/** The node is nobody's place any more, or it is the holder. */
export function endMove(unit: RoutedUnit): void {
  unit.reservation?.release();
  unit.reservation = undefined;
  unit.move = undefined;
}
