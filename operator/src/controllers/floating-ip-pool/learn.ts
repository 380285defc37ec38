/** What the end of a chain changes in what the unit remembers. */

import type { AddressStatus } from "cdk8s-flipop/api";
import { canonicalIp } from "cdk8s-flipop/api";
import type { Clock } from "../../clock.js";
import type { ProviderId } from "../../providers/types.js";
import type { ActionFailure } from "../addresses/outcomes.js";
import { pollMs } from "../addresses/poll.js";
import { afterFailure } from "../retry-schedule.js";
import type { Action } from "./actions.js";
import { faultyNode } from "./blame.js";
import { type ChainEnd, failureOf, mayBeAccepted, type Step, unsentMoves } from "./chain-end.js";
import { effectOf } from "./effects.js";
import { CREATION, goalOfAction } from "./subject.js";
import type { PoolUnit } from "./unit.js";

export function learn(clock: Clock, unit: PoolUnit, end: ChainEnd): void {
  const failure = failureOf(end);
  const node = failure === undefined ? undefined : faultyNode(end, failure);
  const now = clock.now();
  if (failure !== undefined) noteFailure(unit, end, { failure, node, now });
  else if (hasSucceeded(end)) noteSuccess(unit, end);
  const retryAt = node === undefined ? (unit.retries.get(end.subject)?.retryAt ?? now) : now;
  if (isAcceptedAssignment(end)) unit.lastAssignmentAt = now;
  for (const ip of unsentMoves(end)) undoMove(unit, ip);
  for (const step of end.steps) {
    take(unit, step, { retryAt, now });
    follow(unit, step, clock.monotonic());
  }
}

function hasSucceeded({ steps }: ChainEnd): boolean {
  const last = steps.at(-1)?.outcome.is;
  return last !== "skipped" && last !== "superseded";
}

/** The cool-off runs from the answer to one assignment to the next assignment; a lost answer counts, too. */
function isAcceptedAssignment({ chain, steps }: ChainEnd): boolean {
  if (!chain.some((action) => action.do === "record-assignment")) return false;
  const accepted = steps.filter(({ outcome }) => mayBeAccepted(outcome));
  return accepted.some(({ action }) => goalOfAction(action) !== undefined);
}

interface Fault {
  readonly failure: ActionFailure;
  readonly node: ProviderId | undefined;
  readonly now: number;
}

function noteFailure(unit: PoolUnit, { subject, steps }: ChainEnd, { failure, node, now }: Fault): void {
  if (node !== undefined) {
    unit.nodeRetries.set(node, afterFailure(unit.nodeRetries.get(node), failure, now));
    return;
  }
  const state = afterFailure(unit.retries.get(subject), failure, now);
  unit.retries.set(subject, state);
  if (failure.ofAccount === true && isAddressAction(steps.at(-1)?.action)) unit.accountFailures.add(subject);
  else unit.accountFailures.delete(subject);
  const creating = subject === CREATION && steps.at(-1)?.outcome.is === "refused";
  if (!creating) return;
  const ofSpec = failure.kind === "Terminal" && failure.problem.reason === "Invalid";
  unit.creationFailure = { ...failure.problem, retryAt: state.retryAt, ...(ofSpec ? { ofSpec } : {}) };
}

/** The record set has an account of its own. */
function isAddressAction(action: Action | undefined): boolean {
  return action !== undefined && action.do !== "read-records" && action.do !== "apply-records";
}

function noteSuccess(unit: PoolUnit, { subject }: ChainEnd): void {
  unit.retries.delete(subject);
  unit.accountFailures.delete(subject);
  if (subject === CREATION) unit.creationFailure = undefined;
}

/** What the next plan reads of the address. */
function take(unit: PoolUnit, step: Step, { retryAt, now }: { readonly retryAt: number; readonly now: number }): void {
  const ip = addressOf(step.action);
  if (ip === undefined) return;
  const was = unit.effects.get(ip) ?? entryOf(unit, ip);
  const effect = effectOf(step, was, retryAt);
  if (effect !== undefined && effect.status !== was) unit.effects.set(ip, effect.status);
  const machine = placedOn(step);
  if (machine === undefined) return;
  unit.placements.set(ip, { machine, at: now });
  unit.nodeRetries.delete(machine);
}

/** The move that the status was about to show has not begun. */
function undoMove(unit: PoolUnit, ip: string): void {
  const before = unit.beforeMoves.get(ip);
  if (before === undefined) unit.effects.delete(ip);
  else unit.effects.set(ip, before);
}

function addressOf(action: Action): string | undefined {
  return action.do === "assign" || action.do === "unassign" || action.do === "poll" ? action.ip : undefined;
}

function entryOf(unit: PoolUnit, ip: string): AddressStatus {
  const entries = Object.entries(unit.read()?.pool.status.ips ?? {});
  return entries.find(([known]) => canonicalIp(known) === ip)?.[1] ?? {};
}

function placedOn({ action, outcome }: Step): ProviderId | undefined {
  if (outcome.is !== "done") return undefined;
  if (action.do === "assign") return action.node.machine;
  return action.do === "poll" ? action.expected : undefined;
}

/** What goes on is looked at; what does not gives its node free. */
function follow(unit: PoolUnit, { action, outcome }: Step, monotonic: number): void {
  if (action.do === "create-address") {
    const reservation = unit.reservations.get(CREATION);
    unit.reservations.delete(CREATION);
    if (outcome.is !== "started" || outcome.ip === undefined) reservation?.release();
    else if (reservation !== undefined) unit.reservations.set(outcome.ip, reservation);
  }
  if (outcome.is !== "started") return;
  const ip = outcome.ip ?? addressOf(action);
  if (ip !== undefined) unit.polls.set(ip, { id: outcome.id, looks: 0, nextAt: monotonic + pollMs(0) });
}
