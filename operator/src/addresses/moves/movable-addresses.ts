/** Addresses that may move now: unassigned ones first, then by how long they have waited. */

import type { AddressStatus, Reason } from "cdk8s-flipop/api";
import { timeOf } from "../../clock.js";
import { isDue } from "../../reconcile/retries.js";
import { DUE_READ_MS } from "../../timings.js";
import { addressLockKey } from "../actions.js";
import type { AddressSnapshot } from "../address-set.js";
import { isOurs, type Placement } from "../placements.js";
import { massFailureOf } from "../safeguards.js";
import { undonePauseUntil } from "../undone-writes.js";

export interface MovableAddresses {
  /** May move now. */
  readonly free: readonly Placement[];
  /** Would move, but waits after a failure. */
  readonly later: readonly { readonly placement: Placement; readonly until: number }[];
}

export function movableAddressesOf(snapshot: AddressSnapshot, placements: readonly Placement[]): MovableAddresses {
  const free: Placement[] = [];
  const later: { readonly placement: Placement; readonly until: number }[] = [];
  for (const placement of placements.filter(isMovable)) {
    const until = waitsUntil(snapshot, placement);
    if (until === undefined) free.push(placement);
    else later.push({ placement, until });
  }
  // Stable: among equals the order of `desired.addresses`.
  return { free: free.sort((a, b) => releasedAt(a, snapshot.now) - releasedAt(b, snapshot.now)), later };
}

/** An address does not move while it is unconfirmed or an action on it runs. */
function isMovable(placement: Placement): boolean {
  const { address, certainty, holder, grace } = placement;
  if (!address.wanted || !isOurs(placement) || certainty !== "seen") return false;
  return holder === undefined || grace?.state === "over";
}

function waitsUntil(snapshot: AddressSnapshot, placement: Placement): number | undefined {
  const { now, memory } = snapshot;
  const { address, was } = placement;
  const retries = [ownRetryAt(was), memory.accountRetryAt?.get(addressLockKey(address.ip))];
  const due = retries.filter((retryAt) => !isDue(retryAt, now));
  const undone = undonePauseUntil(memory.reverts.get(address.ip), now);
  const waits = [...due, accountUntil(snapshot), undone, massFailureOf(snapshot, placement)?.until];
  const latest = Math.max(...waits.map((until) => until ?? 0));
  return latest > now ? latest : undefined;
}

/** Reasons of the account alone: what waits for it is tried as soon as it answers, whatever time the status names. */
const OF_ACCOUNT: ReadonlySet<string | undefined> = new Set<Reason>(["Unauthorized", "RateLimited"]);

/** When a failure of the address itself may be tried again. */
export function ownRetryAt({ reason, retryAt }: AddressStatus): number | undefined {
  return OF_ACCOUNT.has(reason) ? undefined : timeOf(retryAt);
}

/** While the account fails, only a read of it shows when that is over; `undefined`: it does not fail. */
export function accountUntil({ now, providerRetryAt }: AddressSnapshot): number | undefined {
  return providerRetryAt === undefined ? undefined : Math.max(providerRetryAt, now + DUE_READ_MS);
}

function releasedAt({ holder, grace }: Placement, now: number): number {
  if (holder === undefined) return Number.NEGATIVE_INFINITY;
  return grace?.state === "over" ? grace.since : now;
}
