/** When the next run is due if no event comes: the earliest time that the plan waits for. */

import { type Condition, familyOf } from "cdk8s-flipop/api";
import {
  CLEANUP_ATTEMPTS,
  CLEANUP_TRYING_MS,
  DUE_READ_MS,
  LIST_MAX_AGE_SECONDS,
  SECOND_MS,
  SECOND_READ_SECONDS,
  SHORT_LIST_MAX_AGE_SECONDS,
} from "../timings.js";
import { type AddressSnapshot, isDeleting } from "./address-set.js";
import type { AssignmentPlan } from "./assignments.js";
import type { Creation } from "./creation/creation-plan.js";
import type { MovableAddresses } from "./moves/movable-addresses.js";
import type { Placement } from "./placements.js";
import { waitsForReading } from "./release.js";
import { drainUntil } from "./releases/dns-drain.js";
import { undonePauseUntil } from "./undone-writes.js";

/**
 * How old the list of the account may be, in seconds. Where an address is missing, a person may end the cause at the
 * provider, so the operator looks sooner.
 * @param conditions of the status
 */
export function listSeconds(conditions: readonly Condition[] | undefined, isContested: boolean): number {
  const isMissing = conditions?.some(({ type, status }) => SERVED.includes(type) && status === "False") === true;
  return isMissing || isContested ? SHORT_LIST_MAX_AGE_SECONDS : LIST_MAX_AGE_SECONDS;
}

const SERVED = ["Fulfilled", "Assigned"];

export interface Waits {
  readonly placements: readonly Placement[];
  readonly movable: MovableAddresses;
  readonly assignmentPlan: AssignmentPlan;
  readonly creation: Creation;
}

/** ms since the epoch; `undefined`: only for what happens. */
export function requeueAt(snapshot: AddressSnapshot, waits: Waits): number | undefined {
  const { now, dns, memory } = snapshot;
  const { placements, movable, assignmentPlan, creation } = waits;
  const times = [
    ...placements.map(({ grace }) => (grace?.state === "protected" ? grace.until : undefined)),
    ...placements.map((placement) => drainUntil(snapshot, placement)),
    ...movable.later.map(({ until }) => until),
    assignmentPlan.cooling.length > 0 && assignmentPlan.coolUntil !== "unanswered"
      ? assignmentPlan.coolUntil
      : undefined,
    assignmentPlan.limitedUntil,
    creation.requeueAt,
    rereadAt(snapshot),
    ...(movable.free.length > 0 ? memory.nodeRetryAt.values() : []),
    dns?.retryAt,
    dns?.readAgainAt,
    undonePauseUntil(memory.reverts.get("records"), now),
    unreadUntil(snapshot, placements),
    lateUntil(snapshot, placements),
  ];
  const ahead = times.filter((time) => time !== undefined).filter((time) => time >= now);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}

/** An account that does not answer is asked at its own times. What this run has not read although it is due has to wait. */
function rereadAt({ now, inventory: { rereadSeconds }, providerFailure }: AddressSnapshot): number | undefined {
  if (rereadSeconds === undefined || providerFailure !== undefined) return undefined;
  return now + (rereadSeconds * SECOND_MS || DUE_READ_MS);
}

/** A read did not find it: it may be new, and only a second read shows that it is gone. */
function lateUntil(snapshot: AddressSnapshot, placements: readonly Placement[]): number | undefined {
  const { now, set, inventory, providerFailure } = snapshot;
  // The operator reads no address of another family, and none while it cannot read the account.
  if (!inventory.complete || providerFailure !== undefined) return undefined;
  const isLate = placements.some(
    ({ certainty, address: { ip } }) => certainty === "unread" && familyOf(ip) === set.family,
  );
  return isLate ? now + SECOND_READ_SECONDS * SECOND_MS : undefined;
}

/** Each run is an attempt: the cleanup must end some day, also while a kind cannot be read. */
function unreadUntil(snapshot: AddressSnapshot, placements: readonly Placement[]): number | undefined {
  const waits = isDeleting(snapshot.set) && placements.some((placement) => waitsForReading(snapshot, placement));
  return waits ? snapshot.now + CLEANUP_TRYING_MS / CLEANUP_ATTEMPTS : undefined;
}
