/** Waits with an end, pauses that let everything else run, and the times between retries. */

import type { Clock } from "./clock.js";
import {
  BACKOFF_FIRST_MS,
  BACKOFF_LONGEST_MS,
  LONGEST_ASKED_WAIT_SECONDS,
  MAX_DEBT_SECONDS,
  SECOND_MS,
  SLICE_MS,
} from "./timings.js";

/** Seconds that a server asks to wait, in a header or a field that may contain anything. `undefined`: none that makes sense. */
export function askedWait(seconds: unknown): number | undefined {
  if (typeof seconds !== "number" || Number.isNaN(seconds) || seconds < 0) return undefined;
  return Math.min(seconds, LONGEST_ASKED_WAIT_SECONDS);
}

/** Whether `promise` settles, in whatever way, within `ms`. Leaves no timer behind. */
export async function settlesWithin(clock: Clock, ms: number, promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.setTimer(ms, () => resolve(false));
    const settled = () => {
      timer.cancel();
      resolve(true);
    };
    promise.then(settled, settled);
  });
}

/** Resolves when the signal aborts, or has aborted. */
export async function untilAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Waits `ms` on the clock. Resolves to false as soon as the signal aborts. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(ms, signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

interface AnyAbort {
  /** Aborts with the first of the signals. */
  readonly signal: AbortSignal;
  /** Resolves when it does. */
  readonly aborted: Promise<void>;
  /** Lets go of the signals. */
  dispose(): void;
}

/** `AbortSignal.any` that can be let go of: those signals may outlive many waits. */
export function anyAbort(signals: readonly AbortSignal[]): AnyAbort {
  const controller = new AbortController();
  const fire = () => controller.abort(signals.find((signal) => signal.aborted)?.reason);
  const aborted = untilAbort(controller.signal);
  for (const signal of signals) signal.addEventListener("abort", fire, { once: true });
  if (signals.some((signal) => signal.aborted)) fire();
  return {
    signal: controller.signal,
    aborted,
    dispose: () => {
      for (const signal of signals) signal.removeEventListener("abort", fire);
    },
  };
}

/** Promises that are released together. An abort leaves neither entry nor listener behind. */
export class Waiters {
  private readonly waiting = new Set<() => void>();

  /** Resolves at the next `release`; rejects with the signal's reason. */
  wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const abort = () => {
        this.waiting.delete(done);
        reject(signal?.reason);
      };
      const done = () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      this.waiting.add(done);
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  release(): void {
    const all = [...this.waiting];
    this.waiting.clear();
    for (const done of all) done();
  }
}

/** Keeps long work (parsing, diffing, notifying) from blocking the event loop. */
export class Pacer {
  private sliceStart: number;

  constructor(
    private readonly clock: Pick<Clock, "monotonic">,
    private readonly signal?: AbortSignal,
    private readonly sliceMs = SLICE_MS,
  ) {
    this.sliceStart = clock.monotonic();
  }

  /** Whether `iteration` should be awaited: the slice is used up, or the work is no longer wanted. */
  get due(): boolean {
    return this.signal?.aborted === true || this.clock.monotonic() - this.sliceStart >= this.sliceMs;
  }

  /** Lets everything else run once. Throws the signal's reason if it aborted meanwhile. */
  async yieldOnce(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.sliceStart = this.clock.monotonic();
    this.signal?.throwIfAborted();
  }
}

/** A number in [0, 1), injected so that tests and simulations repeat. */
export type Random = () => number;

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

  /** Counts one more failure. Returns ms to wait. */
  next(key: string): number {
    const failures = this.count(key);
    this.failures.set(key, failures + 1);
    return exponentialMs(failures);
  }

  count(key: string): number {
    return this.failures.get(key) ?? 0;
  }

  forget(key: string): void {
    this.failures.delete(key);
  }
}

export interface TokenBucketOptions {
  /** Tokens a second. */
  readonly perSecond: number;
  /** Tokens in a full bucket; it starts full. */
  readonly burst: number;
}

export class TokenBucket {
  private tokens: number;
  private at: number;

  /** @param nowMs monotonic. */
  constructor(
    private readonly options: TokenBucketOptions,
    nowMs: number,
  ) {
    this.tokens = options.burst;
    this.at = nowMs;
  }

  /** Takes a token if there is one. */
  tryTake(nowMs: number): boolean {
    this.refill(nowMs);
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }

  /** Takes a token in any case, from the future if need be. Returns ms until it is due, at most `MAX_DEBT_SECONDS`. */
  reserve(nowMs: number): number {
    this.refill(nowMs);
    this.tokens = Math.max(this.tokens - 1, -MAX_DEBT_SECONDS * this.options.perSecond);
    return this.tokens >= 0 ? 0 : (-this.tokens / this.options.perSecond) * SECOND_MS;
  }

  /** Full again: forgetting it changes nothing. */
  isFull(nowMs: number): boolean {
    this.refill(nowMs);
    return this.tokens >= this.options.burst;
  }

  private refill(nowMs: number): void {
    const gained = ((nowMs - this.at) / SECOND_MS) * this.options.perSecond;
    this.tokens = Math.min(this.options.burst, this.tokens + gained);
    this.at = nowMs;
  }
}
