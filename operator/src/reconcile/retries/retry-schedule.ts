/**
 * When to try again what failed: one small state for each address (or record set). Pure. Faults that may heal by
 * themselves are tried soon, those that a person must correct seldom. The waits are the Go operator's.
 */

import { LONGEST_RETRY_MS, RETRY_SCHEDULES, SECOND_MS } from "../../bounds.js";
import type { ProviderErrorKind } from "../../providers/errors.js";

export type RetrySchedule = keyof typeof RETRY_SCHEDULES;

/** Failures in a row of one thing. */
export interface RetryState {
  readonly schedule: RetrySchedule;
  readonly failures: number;
  /** ms since the epoch: not before. */
  readonly retryAt: number;
}

export interface Failure {
  readonly kind: ProviderErrorKind;
  /** What the API asks for: a lower bound. */
  readonly retryAfterSeconds?: number | undefined;
}

/** Rate limits and outages are no fault of the resource: they take the fast schedule. */
const SCHEDULE_OF: Readonly<Record<ProviderErrorKind, RetrySchedule>> = {
  NotFound: "slow",
  Conflict: "fast",
  RateLimited: "fast",
  Unavailable: "fast",
  Unauthorized: "slow",
  QuotaExceeded: "slow",
  Terminal: "slow",
};

/** After one more failure. A failure of the other schedule counts from the start of its own. */
export function afterFailure(state: RetryState | undefined, failure: Failure, now: number): RetryState {
  const schedule = SCHEDULE_OF[failure.kind];
  const failures = (state?.schedule === schedule ? state.failures : 0) + 1;
  const waitSeconds = Math.max(waitBefore(schedule, failures), failure.retryAfterSeconds ?? 0);
  return { schedule, failures, retryAt: now + waitSeconds * SECOND_MS };
}

/** Whether a try is due. A clock that was set back does not extend a wait beyond the longest one. */
export function isDue(retryAt: number | undefined, now: number): boolean {
  if (retryAt === undefined || now >= retryAt) return true;
  return retryAt - now > LONGEST_RETRY_MS;
}

/** Seconds to wait after so many failures in a row. */
export function waitBefore(schedule: RetrySchedule, failures: number): number {
  const waits: readonly number[] = RETRY_SCHEDULES[schedule];
  return waits[Math.min(Math.max(failures, 1), waits.length) - 1] ?? 0;
}
