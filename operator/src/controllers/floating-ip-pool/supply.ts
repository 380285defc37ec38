/** Step 4: addresses that may go to another node: unassigned ones first, then the longest-released. */

import type { AddressStatus, Reason } from "cdk8s-flipop/api";
import { DUE_READ_MS } from "../../bounds.js";
import { contestedUntil } from "../contested.js";
import { isDue } from "../retry-schedule.js";
import { timeOf } from "../times.js";
import { isOurs, type Standing } from "./grace.js";
import type { Snapshot } from "./snapshot.js";
import { addressSubject } from "./subject.js";

export interface Supply {
  /** May move now. */
  readonly free: readonly Standing[];
  /** Would move, but for a failure that is still to be slept off. */
  readonly later: readonly { readonly standing: Standing; readonly until: number }[];
}

export function supplyOf(snapshot: Snapshot, standings: readonly Standing[]): Supply {
  const free: Standing[] = [];
  const later: { readonly standing: Standing; readonly until: number }[] = [];
  for (const standing of standings.filter(isMovable)) {
    const until = waitsUntil(snapshot, standing);
    if (until === undefined) free.push(standing);
    else later.push({ standing, until });
  }
  // Stable: among equals the order of the wish.
  return { free: free.sort((a, b) => releasedAt(a, snapshot.now) - releasedAt(b, snapshot.now)), later };
}

/** Nothing is done on a doubt, nor while an action runs. */
function isMovable(standing: Standing): boolean {
  const { address, sight, holder, grace } = standing;
  if (!address.wanted || !isOurs(standing) || sight !== "seen") return false;
  return holder === undefined || grace?.state === "over";
}

function waitsUntil(snapshot: Snapshot, { address, was }: Standing): number | undefined {
  const { now, memory } = snapshot;
  const retries = [ownRetryAt(was), memory.accountRetryAt?.get(addressSubject(address.ip))];
  const due = retries.filter((retryAt) => !isDue(retryAt, now));
  const waits = [...due, accountUntil(snapshot), contestedUntil(memory.reverts.get(address.ip), now)];
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
export function accountUntil({ now, providerRetryAt }: Snapshot): number | undefined {
  return providerRetryAt === undefined ? undefined : Math.max(providerRetryAt, now + DUE_READ_MS);
}

function releasedAt({ holder, grace }: Standing, now: number): number {
  if (holder === undefined) return Number.NEGATIVE_INFINITY;
  return grace?.state === "over" ? grace.since : now;
}
