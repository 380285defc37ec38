/**
 * `none`: at once. `fast`: nothing listens or the link broke. `slow`: the server is there and refuses. `soon`: it will
 * serve the collection in a moment, sooner than its Retry-After says.
 */
export type Pace = "none" | "fast" | "slow" | "soon";

interface Range {
  readonly firstMs: number;
  readonly longestMs: number;
}

export const BACKOFF: Readonly<Record<Exclude<Pace, "none">, Range>> = {
  fast: { firstMs: 100, longestMs: 2_000 },
  slow: { firstMs: 800, longestMs: 30_000 },
  soon: { firstMs: 100, longestMs: 300 },
};

/** A server that asks for more is asked again after this, ms. */
const LONGEST_RETRY_AFTER_MS = 120_000;

export interface BackoffInput {
  readonly pace: Pace;
  /** Failures in a row, this one included; from 1. */
  readonly failures: number;
  readonly retryAfterSeconds: number | undefined;
  /** In [0, 1). */
  readonly random: number;
}

/** ms to wait: doubling, with up to as much again as jitter, within the pace's bounds and not before Retry-After but for `soon`. */
export function backoffMs({ pace, failures, retryAfterSeconds, random }: BackoffInput): number {
  if (pace === "none") return 0;
  const { firstMs, longestMs } = BACKOFF[pace];
  const base = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 16));
  const asked = pace === "soon" ? 0 : Math.min((retryAfterSeconds ?? 0) * 1000, LONGEST_RETRY_AFTER_MS);
  return Math.max(Math.min(longestMs, base * (1 + random)), asked > 0 ? asked * (1 + random * 0.1) : 0);
}
