/** Time, injected: the only way the operator reads a clock or waits. */

import { LONGEST_TIMER_MS } from "./bounds.js";

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Wall clock, ms since the epoch. For what people and other machines read. */
  now(): number;
  /** Monotonic clock, ms since an arbitrary start. For durations and deadlines. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `fn` once after `ms`, unless cancelled. */
  setTimer(ms: number, fn: () => void): Timer;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => sleepWith(systemClock, ms, signal),
  setTimer: (ms, fn) => {
    const timer = setTimeout(fn, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS));
    return { cancel: () => clearTimeout(timer) };
  },
};

/** A sleep on any clock's timers that leaves neither timer nor listener behind. */
export function sleepWith(clock: Pick<Clock, "setTimer">, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const abort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.setTimer(ms, () => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
    signal?.addEventListener("abort", abort, { once: true });
  });
}
