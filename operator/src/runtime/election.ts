/** Leader election as a decision on values: what was seen, when it was seen by our own monotonic clock, what to do. */

import { SECOND_MS } from "../bounds.js";
import type { LeaseRecord } from "../kube/write/lease.js";

export interface ElectionTimings {
  /** Others may take the lease this long after they saw its last change. @default 15_000 ms */
  readonly leaseMs: number;
  /** The holder stops writing this long after it sent its last successful renewal. @default 10_000 ms */
  readonly renewDeadlineMs: number;
  /** Between two tries. @default 2_000 ms */
  readonly retryMs: number;
}

/** Candidates wait up to this many retry periods more, so that they do not try in step. */
export const RETRY_JITTER = 1.2;
/** Share of the retry period over which candidates spread who wait for one and the same end of a term. */
export const EXPIRY_SPREAD = 0.1;

/** A lease record and the monotonic ms at which its present form was first seen here. */
export interface Observation {
  readonly record: LeaseRecord;
  readonly atMs: number;
}

/** `create` and `take`: try to become the holder. `renew`: we are. `wait`: another one is. */
export type Decision = "create" | "take" | "renew" | "wait";

export interface Situation {
  /** Whether the lease is there. A lease deleted under its holder leaves the last observation behind. */
  readonly exists: boolean;
  readonly seen: Observation | undefined;
  readonly self: string;
  readonly nowMs: number;
  readonly leaseMs: number;
}

export function decide({ exists, seen, self, nowMs, leaseMs }: Situation): Decision {
  if (seen !== undefined && isHeldByOther(seen, self) && nowMs < expiresAt(seen, leaseMs)) return "wait";
  if (!exists) return "create";
  return seen?.record.holder === self ? "renew" : "take";
}

/** ms until the term of another replica ends, as far as observed; `undefined`: no other replica has one. */
export function expiresInMs({ seen, self, nowMs, leaseMs }: Omit<Situation, "exists">): number | undefined {
  if (seen === undefined || !isHeldByOther(seen, self)) return undefined;
  const ms = expiresAt(seen, leaseMs) - nowMs;
  return ms > 0 ? ms : undefined;
}

/** The record to write: `renew` keeps what belongs to the term, the others begin one. */
export function nextRecord(
  decision: "create" | "take" | "renew",
  seen: LeaseRecord | undefined,
  own: { readonly self: string; readonly leaseMs: number; readonly now: string },
): LeaseRecord {
  const renewing = decision === "renew" && seen !== undefined;
  return {
    holder: own.self,
    durationSeconds: Math.ceil(own.leaseMs / SECOND_MS),
    acquireTime: renewing ? seen.acquireTime : own.now,
    renewTime: own.now,
    transitions: (seen?.transitions ?? 0) + (decision === "take" ? 1 : 0),
  };
}

/** Throws where the timings cannot keep two holders apart. */
export function checkTimings({ leaseMs, renewDeadlineMs, retryMs }: ElectionTimings): void {
  if (leaseMs <= renewDeadlineMs) {
    throw new Error(`lease of ${leaseMs} ms must be longer than the renew deadline of ${renewDeadlineMs} ms`);
  }
  if (renewDeadlineMs <= RETRY_JITTER * retryMs) {
    throw new Error(
      `renew deadline of ${renewDeadlineMs} ms must be longer than ${RETRY_JITTER} x ${retryMs} ms (retry)`,
    );
  }
}

function isHeldByOther(seen: Observation, self: string): boolean {
  return seen.record.holder !== "" && seen.record.holder !== self;
}

/** A holder that promised a longer term than ours is believed. */
function expiresAt(seen: Observation, leaseMs: number): number {
  return seen.atMs + Math.max(leaseMs, seen.record.durationSeconds * SECOND_MS);
}
