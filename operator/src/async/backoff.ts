/** How long to wait before the next try. */

import { BACKOFF_FIRST_MS, BACKOFF_LONGEST_MS } from "../bounds.js";

/** A number in [0, 1), injected so that tests and simulations repeat. */
export type Random = () => number;

export interface BackoffOptions {
  /** ms before the first retry. @default 5 */
  readonly baseMs?: number;
  /** ms, the longest wait before jitter. @default 60_000 */
  readonly maxMs?: number;
  /** Share of the wait that is random: 0.2 makes 100 ms into 100 to 120 ms. @default 0 */
  readonly jitter?: number;
}

/** 2^40 times any base is beyond every maximum; a larger exponent would only overflow. */
const MAX_EXPONENT = 40;

/** `base * 2^n`, at most `max`, for the n-th failure in a row, starting from 0. */
export function exponentialMs(failures: number, baseMs = BACKOFF_FIRST_MS, maxMs = BACKOFF_LONGEST_MS): number {
  return Math.min(baseMs * 2 ** Math.min(failures, MAX_EXPONENT), maxMs);
}

/** `ms` made longer by a random share of at most `share`. */
export function jittered(ms: number, share: number, random: Random): number {
  return ms * (1 + share * random());
}

/** Counts failures in a row for each key. It holds only keys that failed and were not forgotten since. */
export class KeyedBackoff {
  private readonly failures = new Map<string, number>();

  constructor(
    private readonly random: Random,
    private readonly options: BackoffOptions = {},
  ) {}

  /** Counts one more failure. Returns ms to wait. */
  next(key: string): number {
    const failures = this.count(key);
    this.failures.set(key, failures + 1);
    const { baseMs, maxMs, jitter = 0 } = this.options;
    return jittered(exponentialMs(failures, baseMs, maxMs), jitter, this.random);
  }

  count(key: string): number {
    return this.failures.get(key) ?? 0;
  }

  forget(key: string): void {
    this.failures.delete(key);
  }
}
