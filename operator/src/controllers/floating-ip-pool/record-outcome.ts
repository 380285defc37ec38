/** What the end of a sequence changes in what this process remembers of the pool, beside the retry times. */

import { type AddressStatus, canonicalIp } from "cdk8s-flipop/api";
import { CREATION, type PlannedAction } from "../../addresses/actions.js";
import { failureOf, type Outcome, pollMs } from "../../addresses/call-outcomes.js";
import { noteRelease } from "../../addresses/release.js";
import type { Clock } from "../../clock.js";
import type { ActionTarget } from "../../reconcile/kind.js";
import { type ActionResult, actionsOf, type SequenceResult } from "../../reconcile/plan.js";
import { faultyMachine } from "../../reconcile/run-actions.js";
import type { PoolState } from "./resource.js";
import { statusChangeOf } from "./status.js";

type Step = ActionResult<PlannedAction>;

type Ended = SequenceResult<PlannedAction>;

export function recordOutcome(clock: Pick<Clock, "now" | "monotonic">, state: PoolState, ended: Ended): void {
  const { sequence, results } = ended;
  const { memory } = state;
  const now = clock.now();
  memory.assigning.delete(sequence.lockKey);
  noteCreationFailure(state, ended);
  if (isAcceptedAssignment(ended)) memory.lastAssignmentAt = now;
  for (const ip of unsentMoves(ended)) undoMove(state, ip);
  const retryAt = retryTime(state, ended, now);
  for (const step of results) {
    changeStatus(state, step, { retryAt, now });
    noteRelease(memory.released, step);
    follow(state, step, clock.monotonic());
  }
}

/** What a failure of the action is about. */
export function targetOf(action: PlannedAction): ActionTarget {
  switch (action.do) {
    case "assign":
      return { ip: action.ip, machine: action.node.machine, node: action.node.name };
    case "create-address":
      return "node" in action.desired ? { machine: action.desired.node } : {};
    case "poll":
      return { ip: action.ip, ...(action.expected === undefined ? {} : { machine: action.expected }) };
    default:
      return {};
  }
}

/** Whether the provider may have accepted the call. */
export function mayBeAccepted(outcome: Outcome): boolean {
  if (outcome.is === "refused") return outcome.failure.mayBeAccepted === true;
  if (outcome.is === "skipped") return outcome.mayBeAccepted === true;
  return outcome.is === "done" || outcome.is === "started" || outcome.is === "unknown";
}

/** The cool-off runs from the answer to one assignment to the next assignment; a lost answer counts, too. */
function isAcceptedAssignment({ sequence, results }: Ended): boolean {
  if (!actionsOf(sequence).some((action) => action.do === "record-assignment")) return false;
  return results.some(({ action, outcome }) => targetOf(action).machine !== undefined && mayBeAccepted(outcome));
}

function noteCreationFailure({ memory }: PoolState, { sequence, results }: Ended): void {
  const last = results.at(-1)?.outcome;
  if (sequence.lockKey !== CREATION || last?.is !== "refused") return;
  const { kind, problem } = last.failure;
  const ofSpec = kind === "Terminal" && problem.reason === "Invalid";
  memory.creationFailure = { ...problem, ...(ofSpec ? { ofSpec } : {}) };
}

/** When the address may be tried again; another node may have it at once. */
function retryTime({ retries }: PoolState, { sequence, results }: Ended, now: number): number {
  const ofMachine = results.slice(-1).some(({ action, outcome }) => {
    const failure = failureOf(outcome);
    return failure !== undefined && faultyMachine(failure, targetOf(action)) !== undefined;
  });
  return ofMachine ? now : (retries.get(sequence.lockKey)?.retryAt ?? now);
}

interface Times {
  readonly retryAt: number;
  readonly now: number;
}

/** What the next plan reads of the address. */
function changeStatus(state: PoolState, step: Step, { retryAt, now }: Times): void {
  const { action } = step;
  if (action.do !== "assign" && action.do !== "unassign" && action.do !== "poll") return;
  const { ip } = action;
  const was = entryOf(state, ip);
  const change = statusChangeOf(step, was, retryAt);
  if (change !== undefined && change.status !== was) state.pendingStatus.set(["ips", ip], change.status);
  notePlacement(state, step, now);
}

/** An address that we took off its node ourselves is no longer where we put it. */
function notePlacement({ memory: { lastPlacements } }: PoolState, { action, outcome }: Step, now: number): void {
  const { ip, machine } = targetOf(action);
  if (action.do === "unassign" && mayBeAccepted(outcome)) lastPlacements.delete(action.ip);
  if (outcome.is === "done" && ip !== undefined && machine !== undefined) lastPlacements.set(ip, { machine, at: now });
}

/** As the next plan would read it. */
function entryOf(state: PoolState, ip: string): AddressStatus {
  const pending = state.pendingStatus.get(["ips", ip]);
  if (pending !== undefined) return pending as AddressStatus;
  const { ips = {} } = state.read()?.pool.status ?? {};
  return ips[ip] ?? Object.entries(ips).find(([known]) => canonicalIp(known) === ip)?.[1] ?? {};
}

/** The addresses of moves whose calls were not sent. */
function unsentMoves({ sequence, results }: Ended): readonly string[] {
  return actionsOf(sequence).flatMap((action) => {
    if (action.do !== "assign") return [];
    const outcome = results.find((step) => step.action === action)?.outcome;
    const ended = outcome !== undefined && (outcome.is === "refused" || mayBeAccepted(outcome));
    return ended ? [] : [action.ip];
  });
}

/** The move that the status was about to show has not begun. */
function undoMove({ memory, pendingStatus }: PoolState, ip: string): void {
  pendingStatus.set(["ips", ip], memory.beforeMoves.get(ip));
}

/** Schedules polls of a running action. The reservation of a creation passes to the new address, or ends. */
function follow({ memory }: PoolState, { action, outcome }: Step, monotonic: number): void {
  const { reservations, polls } = memory;
  if (action.do === "create-address") {
    const reservation = reservations.get(CREATION);
    reservations.delete(CREATION);
    if (outcome.is !== "started" || outcome.ip === undefined) reservation?.release();
    else if (reservation !== undefined) reservations.set(outcome.ip, reservation);
  }
  if (outcome.is !== "started") return;
  const ip = outcome.ip ?? ("ip" in action ? action.ip : undefined);
  if (ip !== undefined) polls.set(ip, { id: outcome.id, attempts: 0, nextAt: monotonic + pollMs(0) });
}
