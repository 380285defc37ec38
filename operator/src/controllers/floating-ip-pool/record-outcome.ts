/** What the end of a chain changes in what the unit remembers. */

import type { AddressStatus } from "cdk8s-flipop/api";
import { canonicalIp } from "cdk8s-flipop/api";
import type { ActionFailure } from "../../addresses/calls/outcomes.js";
import { pollMs } from "../../addresses/calls/poll.js";
import { CREATION, goalOfAction } from "../../addresses/lock-key.js";
import type { Clock } from "../../clock.js";
import type { ProviderId } from "../../providers/types.js";
import { afterFailure } from "../../reconcile/retries/retry-schedule.js";
import { type ActionResult, failureOf, mayBeAccepted, type Step, unsentMoves } from "./action-result.js";
import type { Action } from "./actions.js";
import { faultyNode } from "./attribute-failure.js";
import { statusChangeOf } from "./pending-status.js";
import type { PoolState } from "./resource-state.js";

export function recordOutcome(clock: Clock, resourceState: PoolState, end: ActionResult): void {
  const failure = failureOf(end);
  const node = failure === undefined ? undefined : faultyNode(end, failure);
  const now = clock.now();
  if (failure !== undefined) noteFailure(resourceState, end, { failure, node, now });
  else if (hasSucceeded(end)) noteSuccess(resourceState, end);
  const retryAt = node === undefined ? (resourceState.retries.get(end.lockKey)?.retryAt ?? now) : now;
  if (isAcceptedAssignment(end)) resourceState.lastAssignmentAt = now;
  for (const ip of unsentMoves(end)) undoMove(resourceState, ip);
  for (const step of end.steps) {
    take(resourceState, step, { retryAt, now });
    follow(resourceState, step, clock.monotonic());
  }
}

function hasSucceeded({ steps }: ActionResult): boolean {
  const last = steps.at(-1)?.outcome.is;
  return last !== "skipped" && last !== "superseded";
}

/** The cool-off runs from the answer to one assignment to the next assignment; a lost answer counts, too. */
function isAcceptedAssignment({ sequence, steps }: ActionResult): boolean {
  if (!sequence.some((action) => action.do === "record-assignment")) return false;
  const accepted = steps.filter(({ outcome }) => mayBeAccepted(outcome));
  return accepted.some(({ action }) => goalOfAction(action) !== undefined);
}

interface Fault {
  readonly failure: ActionFailure;
  readonly node: ProviderId | undefined;
  readonly now: number;
}

function noteFailure(resourceState: PoolState, { lockKey, steps }: ActionResult, { failure, node, now }: Fault): void {
  if (node !== undefined) {
    resourceState.nodeRetries.set(node, afterFailure(resourceState.nodeRetries.get(node), failure, now));
    return;
  }
  const state = afterFailure(resourceState.retries.get(lockKey), failure, now);
  resourceState.retries.set(lockKey, state);
  if (failure.ofAccount === true && isAddressAction(steps.at(-1)?.action)) resourceState.accountFailures.add(lockKey);
  else resourceState.accountFailures.delete(lockKey);
  const creating = lockKey === CREATION && steps.at(-1)?.outcome.is === "refused";
  if (!creating) return;
  const ofSpec = failure.kind === "Terminal" && failure.problem.reason === "Invalid";
  resourceState.creationFailure = { ...failure.problem, retryAt: state.retryAt, ...(ofSpec ? { ofSpec } : {}) };
}

/** The record set has an account of its own. */
function isAddressAction(action: Action | undefined): boolean {
  return action !== undefined && action.do !== "read-records" && action.do !== "apply-records";
}

function noteSuccess(resourceState: PoolState, { lockKey }: ActionResult): void {
  resourceState.retries.delete(lockKey);
  resourceState.accountFailures.delete(lockKey);
  if (lockKey === CREATION) resourceState.creationFailure = undefined;
}

/** What the next plan reads of the address. */
function take(
  resourceState: PoolState,
  step: Step,
  { retryAt, now }: { readonly retryAt: number; readonly now: number },
): void {
  const ip = addressOf(step.action);
  if (ip === undefined) return;
  const was = resourceState.pendingStatus.get(ip) ?? entryOf(resourceState, ip);
  const effect = statusChangeOf(step, was, retryAt);
  if (effect !== undefined && effect.status !== was) resourceState.pendingStatus.set(ip, effect.status);
  const machine = placedOn(step);
  if (machine === undefined) return;
  resourceState.lastPlacements.set(ip, { machine, at: now });
  resourceState.nodeRetries.delete(machine);
}

/** The move that the status was about to show has not begun. */
function undoMove(resourceState: PoolState, ip: string): void {
  const before = resourceState.beforeMoves.get(ip);
  if (before === undefined) resourceState.pendingStatus.delete(ip);
  else resourceState.pendingStatus.set(ip, before);
}

function addressOf(action: Action): string | undefined {
  return action.do === "assign" || action.do === "unassign" || action.do === "poll" ? action.ip : undefined;
}

function entryOf(resourceState: PoolState, ip: string): AddressStatus {
  const entries = Object.entries(resourceState.read()?.pool.status.ips ?? {});
  return entries.find(([known]) => canonicalIp(known) === ip)?.[1] ?? {};
}

function placedOn({ action, outcome }: Step): ProviderId | undefined {
  if (outcome.is !== "done") return undefined;
  if (action.do === "assign") return action.node.machine;
  return action.do === "poll" ? action.expected : undefined;
}

/** What goes on is looked at; what does not gives its node free. */
function follow(resourceState: PoolState, { action, outcome }: Step, monotonic: number): void {
  if (action.do === "create-address") {
    const reservation = resourceState.reservations.get(CREATION);
    resourceState.reservations.delete(CREATION);
    if (outcome.is !== "started" || outcome.ip === undefined) reservation?.release();
    else if (reservation !== undefined) resourceState.reservations.set(outcome.ip, reservation);
  }
  if (outcome.is !== "started") return;
  const ip = outcome.ip ?? addressOf(action);
  if (ip !== undefined) resourceState.polls.set(ip, { id: outcome.id, attempts: 0, nextAt: monotonic + pollMs(0) });
}
