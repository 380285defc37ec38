/** Step 12: what the status says of each address, before the outcomes of the actions are folded in. */

import type { AddressState, AddressStatus, PoolCounts, Reason } from "cdk8s-flipop/api";
import { refText } from "../claims/claimant.js";
import { reportedRetry } from "../reconcile/retries/reported-retry.js";
import { isDue } from "../reconcile/retries/retry-schedule.js";
import { timestamp } from "../times.js";
import { type AddressSnapshot, isDeleting, isObserved, isPaused } from "./address-set.js";
import type { Assignment, AssignmentPlan } from "./assignments.js";
import { isContested } from "./contested.js";
import type { Desired } from "./desired.js";
import { holderText } from "./explanation.js";
import { isOurs, isServed, type Placement } from "./grace.js";
import { addressLockKey } from "./lock-key.js";
import { ownRetryAt } from "./movable-addresses.js";
import { drainUntil, isHeldBack } from "./release.js";

export interface PlannedAddress {
  readonly ip: string;
  /** The entry of `status.ips`, until an action ends: then the outcome changes the entry. */
  readonly status: AddressStatus & { readonly state: AddressState };
}

export function addressesOf(
  snapshot: AddressSnapshot,
  placements: readonly Placement[],
  assignmentPlan: AssignmentPlan,
): readonly PlannedAddress[] {
  const assignments = new Map(assignmentPlan.assignments.map((pair) => [pair.placement.address.ip, pair]));
  return placements.map((placement) => {
    const entry = statusOf(snapshot, placement, assignments.get(placement.address.ip));
    const same = entry.state === placement.was.state && placement.was.since !== undefined;
    return {
      ip: placement.address.ip,
      status: { ...entry, since: same ? placement.was.since : timestamp(snapshot.now) },
    };
  });
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

type PlannedEntry = AddressStatus & { readonly state: AddressState };

function statusOf(snapshot: AddressSnapshot, placement: Placement, pair: Assignment | undefined): PlannedEntry {
  const { address, was } = placement;
  if (!isObserved(snapshot)) return { ...was, state: was.state ?? "unassigned" };
  if (address.claim?.ours === false) return claimed(placement);
  if (!address.wanted || isDeleting(snapshot.set)) return disabled(snapshot, placement);
  if (pair !== undefined) return { ...place(pair.node), ...graceSince(placement), state: "in-progress" };
  if (isServed(placement)) return served(placement);
  return waiting(snapshot, placement);
}

function claimed({ address }: Placement): PlannedEntry {
  const claim = address.claim;
  if (claim === undefined || claim.ours) return { state: "error" };
  return { ...reason("ClaimedByOther"), state: "error", error: `${refText(claim.winner)} has it: ${claim.text}` };
}

function disabled(snapshot: AddressSnapshot, placement: Placement): PlannedEntry {
  const until = drainUntil(snapshot, placement);
  return {
    ...held(placement),
    ...unfinished(placement),
    ...(until === undefined ? {} : { retryAt: timestamp(until) }),
    ...(isHeldBack(snapshot, placement) ? reason("OwnershipInferred") : {}),
    state: "disabled",
  };
}

function served(placement: Placement): PlannedEntry {
  const { grace } = placement;
  if (grace?.state !== "protected") return { ...held(placement), state: "active" };
  return { ...held(placement), ...graceSince(placement), ...reason("InGrace"), state: "active" };
}

function waiting(snapshot: AddressSnapshot, placement: Placement): PlannedEntry {
  const { certainty, action, was, holder } = placement;
  if (certainty === "moving") return moving(placement);
  if (certainty === "gone") return { ...reason("AddressNotFound"), state: "error", error: GONE_TEXT };
  if (certainty === "unread" || !isOurs(placement)) return { ...was, state: was.state ?? "unassigned" };
  const failed = failure(snapshot, placement);
  if (failed !== undefined) return { ...held(placement), ...graceSince(placement), ...failed };
  if (holder === undefined || action !== undefined) return { state: "unassigned" };
  return {
    ...held(placement),
    ...graceSince(placement),
    ...reason("NoCandidate"),
    state: "no-match",
    error: `held by ${holderText({ ...snapshot, now: graceStart(snapshot, placement) }, placement)}`,
  };
}

/** A text that does not change with time: a status that says the same is not written. */
function graceStart({ now }: AddressSnapshot, { grace }: Placement): number {
  return grace === undefined || grace.state === "matches" ? now : grace.since;
}

function moving(placement: Placement): PlannedEntry {
  const { action, was } = placement;
  const target = was.state === "in-progress" ? targetOf(was) : held(placement);
  const id = action?.id;
  return { ...target, ...graceSince(placement), ...(id === undefined ? {} : { actionID: id }), state: "in-progress" };
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
  if (isContested(memory.reverts.get(address.ip)) && !isPaused(set)) {
    const error = `a foreign writer takes ${address.ip} away again and again: stop it; ${set.metadata.name} tries every 10 min`;
    return { ...reason("ForeignWriter"), state: "error", error };
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

const GONE_TEXT =
  "the account does not have this address: correct the spec, or use the token of the account that owns it";
