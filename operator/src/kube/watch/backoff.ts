import { WATCH_BACKOFF_MS, WATCH_RETRY_AFTER_MS } from "../../bounds.js";

/**
 * `none`: at once. `fast`: nothing listens or the link broke. `slow`: the server is there and refuses. `soon`: it will
 * serve the collection in a moment, sooner than its Retry-After says.
 */
export type Pace = "none" | "fast" | "slow" | "soon";

export interface BackoffInput {
  readonly pace: Pace;
  /** Failures in a row, this one included; from 1. */
  readonly failures: number;
  readonly retryAfterSeconds: number | undefined;
  /** In [0, 1). */
  readonly random: number;
}

/** ms to wait: doubling, with up to as much again as jitter, within the pace's bounds and never before Retry-After, which `soon` ignores. */
export function backoffMs({ pace, failures, retryAfterSeconds, random }: BackoffInput): number {
  if (pace === "none") return 0;
  const { firstMs, longestMs } = WATCH_BACKOFF_MS[pace];
  const base = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 16));
  const asked = pace === "soon" ? 0 : Math.min((retryAfterSeconds ?? 0) * 1000, WATCH_RETRY_AFTER_MS);
  return Math.max(Math.min(longestMs, base * (1 + random)), asked > 0 ? asked * (1 + random * 0.1) : 0);
}
