/**
 * What the status says of each address, before the outcomes of the actions are folded in; and what log lines and
 * Events say of a plan.
 */

import type { AddressState, AddressStatus, PoolCounts, Reason } from "cdk8s-flipop/api";
import { timestamp } from "../clock.js";
import { newerFirst } from "../match/node-preference.js";
import { CHOICES, coolingText, limitedText, moveText as textOfMove } from "../messages/action-reasons.js";
import { addressMessages } from "../messages/addresses.js";
import { claimMessages } from "../messages/claims.js";
import { healthMessages } from "../messages/health.js";
import type { Problem } from "../messages/message.js";
import { candidateMessages } from "../messages/nodes/candidates.js";
import { isDue, reportedRetry } from "../reconcile/retries.js";
import { SECOND_MS } from "../timings.js";
import { omitUndefined } from "../values.js";
import { addressLockKey } from "./actions.js";
import { type AddressSnapshot, isDeleting, isObserved, isPaused, refOf } from "./address-set.js";
import type { Assignment, AssignmentPlan, WaitingNode } from "./assignments.js";
import type { Desired } from "./desired-addresses.js";
import { ownRetryAt } from "./moves/movable-addresses.js";
import { isOurs, isServed, lastingLock, type Placement } from "./placements.js";
import { isHeldBack, waitsForReading } from "./release.js";
import { drainUntil } from "./releases/dns-drain.js";
import { massFailureOf } from "./safeguards.js";
import { goneFrom, leftHolderText, pausedOn, steadyHolder } from "./unavailable-nodes.js";
import { isRepeatedlyUndone } from "./undone-writes.js";

export interface PlannedAddress {
  readonly ip: string;
  /** The entry of `status.ips`, until an action ends: then the outcome changes the entry. */
  readonly status: AddressStatus & { readonly state: AddressState };
  /** What is wrong with it, where this plan found it. Else the status has what an earlier action found. */
  readonly problem?: Problem;
}

export function addressesOf(
  snapshot: AddressSnapshot,
  placements: readonly Placement[],
  assignmentPlan: AssignmentPlan,
): readonly PlannedAddress[] {
  const assignments = new Map(assignmentPlan.assignments.map((pair) => [pair.placement.address.ip, pair]));
  const waits = waitsOf(snapshot, assignmentPlan);
  return placements.map((placement) => {
    const { ip } = placement.address;
    const { problem, ...entry } = statusOf(snapshot, placement, { pair: assignments.get(ip), wait: waits.get(ip) });
    const same = entry.state === placement.was.state && placement.was.since !== undefined;
    return {
      ip: placement.address.ip,
      status: { ...entry, since: same ? placement.was.since : timestamp(snapshot.now) },
      ...omitUndefined({ problem }),
    };
  });
}

/** By address: why it waits, though a node waits for it. */
function waitsOf({ now }: AddressSnapshot, assignmentPlan: AssignmentPlan): ReadonlyMap<string, Problem> {
  const { cooling, coolUntil = now, limited, limitedUntil = now, blocked } = assignmentPlan;
  const entries = (pairs: readonly Assignment[], problem: Problem) =>
    pairs.map(({ placement }) => [placement.address.ip, problem] as const);
  return new Map([
    ...entries(cooling, candidateMessages.coolingOff({ until: coolUntil })),
    ...entries(limited, healthMessages.moveLimit({ until: limitedUntil })),
    ...(blocked === undefined ? [] : entries(blocked.assignments, blocked.by)),
  ]);
}

/** @param candidates all nodes that match. */
export function countsOf(
  placements: readonly Placement[],
  planned: readonly PlannedAddress[],
  { desiredCount: desired }: Desired,
  candidates: number,
): PoolCounts {
  const active = planned.filter(({ status }) => status.state === "active").length;
  const onNobody = placements.filter(({ facts, holder }) => facts !== undefined && holder === undefined);
  return { desired, active, unassigned: onNobody.length, candidates };
}

type PlannedEntry = AddressStatus & { readonly state: AddressState; readonly problem?: Problem };

interface Next {
  readonly pair: Assignment | undefined;
  /** Why the address waits, though a node waits for it. */
  readonly wait: Problem | undefined;
}

function statusOf(snapshot: AddressSnapshot, placement: Placement, { pair, wait }: Next): PlannedEntry {
  const { address, was } = placement;
  if (!isObserved(snapshot)) return { ...was, state: was.state ?? "unassigned" };
  const notOurs = claimed(placement);
  if (notOurs !== undefined) return notOurs;
  // Whatever the cloud does with it: a status that shows a machine or an action is a title to the address.
  if (!isOurs(placement)) return { ...was, state: was.state ?? "unassigned" };
  if (!address.wanted || isDeleting(snapshot.set)) return disabled(snapshot, placement);
  if (pair !== undefined) return { ...place(pair.node), ...graceSince(placement), state: "in-progress" };
  if (isServed(placement)) return served(placement);
  return waiting(snapshot, placement, wait);
}

/**
 * Of an address that another resource has, or that the limits do not allow. It names no machine: a status that names one
 * shows that the operator gave the address to the resource.
 */
function claimed({ address: { ip, claim, refused } }: Placement): PlannedEntry | undefined {
  if (claim?.ours === false) return { ...shown(claimMessages.address({ ip, ...claim.owned })), state: "error" };
  return refused === undefined || claim !== undefined ? undefined : { ...shown(refused), state: "error" };
}

function disabled(snapshot: AddressSnapshot, placement: Placement): PlannedEntry {
  const until = drainUntil(snapshot, placement);
  return {
    ...held(placement),
    ...unfinished(placement),
    ...(until === undefined ? {} : { retryAt: timestamp(until) }),
    ...(isHeldBack(snapshot, placement) ? reason("OwnershipInferred") : {}),
    ...(waitsForReading(snapshot, placement) ? reason("UnderWay") : {}),
    state: "disabled",
  };
}

function served(placement: Placement): PlannedEntry {
  const { grace } = placement;
  if (grace?.state !== "protected") return { ...held(placement), state: "active" };
  return { ...held(placement), ...graceSince(placement), ...reason("InGrace"), state: "active" };
}

/** The spec of a RoutedIP does not list an address that was created for it. */
function goneProblem(snapshot: AddressSnapshot, { address: { ip, origin } }: Placement): Problem {
  const isUnlisted = snapshot.set.kind === "RoutedIP" && origin === "created";
  return isUnlisted ? addressMessages.createdGone({ ip }) : goneFrom(snapshot, ip);
}

function waiting(snapshot: AddressSnapshot, placement: Placement, wait: Problem | undefined): PlannedEntry {
  const { certainty, action, was, holder } = placement;
  if (certainty === "moving") return { ...moving(placement), ...lockOf(snapshot, placement) };
  if (certainty === "gone") return { ...shown(goneProblem(snapshot, placement)), state: "error" };
  if (certainty === "unread") return { ...was, state: was.state ?? "unassigned" };
  const failed = failure(snapshot, placement);
  if (failed !== undefined) return { ...held(placement), ...graceSince(placement), ...failed };
  if (holder === undefined || action !== undefined) return { state: "unassigned" };
  const problem = standstillOf(snapshot, placement, wait) ?? refusedHolder(snapshot, placement);
  return { ...held(placement), ...graceSince(placement), ...shown(problem), state: "no-match" };
}

/** Why the address stays, though other nodes may match. */
function standstillOf(snapshot: AddressSnapshot, placement: Placement, wait: Problem | undefined): Problem | undefined {
  const stop = massFailureOf(snapshot, placement);
  if (stop !== undefined) return healthMessages.massFailure(stop);
  if (isPaused(snapshot.set)) return pausedOn(snapshot, placement);
  return wait ?? (hasFreeNode(snapshot) ? snapshot.providerFailure : undefined);
}

function hasFreeNode({ candidates, inventory }: AddressSnapshot): boolean {
  return candidates.some(({ machine }) => machine !== undefined && inventory.heldCount(machine) === 0);
}

function refusedHolder(snapshot: AddressSnapshot, placement: Placement): Problem {
  const place = { ip: placement.address.ip, holder: steadyHolder(snapshot, placement), refusals: snapshot.refusals };
  return addressMessages.holderRefused(place);
}

function moving(placement: Placement): PlannedEntry {
  const { action, was } = placement;
  const target = was.state === "in-progress" ? targetOf(was) : held(placement);
  const id = action?.id;
  return { ...target, ...graceSince(placement), ...(id === undefined ? {} : { actionID: id }), state: "in-progress" };
}

function lockOf({ now }: AddressSnapshot, placement: Placement) {
  const lock = lastingLock(placement);
  if (lock === undefined) return {};
  const { ip } = placement.address;
  return shown(
    addressMessages.locked({ ip, since: now - lock.seconds * SECOND_MS, ...omitUndefined({ id: lock.id }) }),
  );
}

/** Its problem, where the provider keeps it locked for too long. */
export function lockProblem(addresses: readonly PlannedAddress[]): Problem | undefined {
  return addresses.find(({ problem }) => problem?.reason === "AddressLocked")?.problem;
}

function targetOf({ nodeName, providerID }: AddressStatus): AddressStatus {
  return {
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(providerID === undefined ? {} : { providerID }),
  };
}

/** A failure of the last try is shown until the next try is due: then the operator tries again, or has nothing left to try. */
function failure(snapshot: AddressSnapshot, placement: Placement): PlannedEntry | undefined {
  const { memory, set } = snapshot;
  const { was, address } = placement;
  if (isRepeatedlyUndone(memory.reverts.get(address.ip)) && !isPaused(set)) {
    return { ...shown(addressMessages.takenAway({ ip: address.ip, resource: refOf(set) })), state: "error" };
  }
  if (was.state !== "error" || !isHeldUp(snapshot, placement)) return undefined;
  const retryAt = ownRetryAt(was) === undefined ? accountWait(snapshot, placement) : was.retryAt;
  return {
    state: "error",
    ...(retryAt === undefined ? {} : { retryAt }),
    ...(was.error === undefined ? {} : { error: was.error }),
    ...(was.reason === undefined ? {} : { reason: was.reason }),
  };
}

/** When the account is tried again, where that is no sooner than its slow schedule says; once reported, it stays. */
function accountWait(snapshot: AddressSnapshot, { was, address }: Placement): string | undefined {
  const { memory, providerRetryAt, now } = snapshot;
  const at = Math.max(providerRetryAt ?? 0, memory.accountRetryAt?.get(addressLockKey(address.ip)) ?? 0);
  return reportedRetry([at], was.retryAt, now);
}

/** By a failure of its own, of the account, or of the nodes that it could go to. */
function isHeldUp(snapshot: AddressSnapshot, { was, address }: Placement): boolean {
  const { memory, providerFailure, now } = snapshot;
  const own = ownRetryAt(was);
  const machines = own === undefined ? [] : snapshot.candidates.flatMap(({ machine }) => machine ?? []);
  const nodes = machines.map((machine) => memory.nodeRetryAt.get(machine));
  const waits = [own, memory.accountRetryAt?.get(addressLockKey(address.ip)), ...nodes];
  return providerFailure !== undefined || waits.some((retryAt) => !isDue(retryAt, now));
}

/** An action that still runs on a disabled address. */
function unfinished({ action }: Placement): AddressStatus {
  return action?.id === undefined ? {} : { actionID: action.id };
}

function graceSince({ grace, was, certainty }: Placement): AddressStatus {
  if (grace !== undefined && grace.state !== "matches") return { graceSince: timestamp(grace.since) };
  return certainty === "moving" && was.graceSince !== undefined ? { graceSince: was.graceSince } : {};
}

function held({ holder, verdict }: Placement): AddressStatus {
  if (holder === undefined) return {};
  return { providerID: holder, ...(verdict === undefined ? {} : { nodeName: verdict.node.name }) };
}

function place({ name, machine }: Assignment["node"]): AddressStatus {
  return { nodeName: name, providerID: machine };
}

function reason(word: Reason): { readonly reason: Reason } {
  return { reason: word };
}

function shown(problem: Problem) {
  const { reason: word, message } = problem;
  return { reason: word, error: message, problem };
}

/** Which of the nodes that wait are in front of which: for the words that say why one was chosen. */
export interface Choice {
  readonly waiting: readonly WaitingNode[];
}

export function moveText(snapshot: AddressSnapshot, { placement, node }: Assignment, choice: Choice): string {
  const from = placement.holder === undefined ? undefined : leftHolderText(snapshot, placement);
  const { ip } = placement.address;
  const taken = snapshot.memory.taken?.get(ip);
  return textOfMove({
    ip,
    from,
    node: node.name,
    choice: choiceText(snapshot, node, choice),
    ...omitUndefined({ taken }),
  });
}

/** What the plan does and what it waits for; empty: nothing. */
export function planText(snapshot: AddressSnapshot, assignmentPlan: AssignmentPlan, choice: Choice): string {
  const moves = assignmentPlan.assignments.map((pair) => moveText(snapshot, pair, choice));
  const { cooling, coolUntil = snapshot.now } = assignmentPlan;
  const { limited, limitedUntil = snapshot.now } = assignmentPlan;
  const parts = [
    ...moves,
    ...(cooling.length > 0 ? [coolingText(cooling.length, moves.length > 0, coolUntil)] : []),
    ...(limited.length > 0 ? [limitedText(limited.length, moves.length > 0, limitedUntil)] : []),
  ];
  return parts.length === 0 ? "" : `${snapshot.set.metadata.name}: ${parts.join("; ")}.`;
}

function choiceText({ set, candidates }: AddressSnapshot, node: WaitingNode, { waiting }: Choice): string {
  if (waiting.length < 2) return candidates.length > 1 ? CHOICES.onlyFree() : CHOICES.only();
  const before = Math.max(0, waiting.indexOf(node));
  // The nodes in front of it get other addresses.
  const count = waiting.length - before;
  if (set.nodePreference === "Name") return CHOICES.firstByName(count);
  const next = waiting[before + 1];
  if (next === undefined) return CHOICES.last(waiting.length);
  if (isLeaving(node) !== isLeaving(next)) return CHOICES.staying(count);
  if (newerFirst(node.kubeletVersion, next.kubeletVersion) < 0) return CHOICES.newestKubelet(count);
  return node.createdAt > next.createdAt ? CHOICES.youngest(count) : CHOICES.firstOfEqual(count);
}

function isLeaving({ cordoned, leaving }: WaitingNode): boolean {
  return cordoned || leaving;
}
