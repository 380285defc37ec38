/** Time: the injected clock, the only way the operator reads a clock or waits; and times as statuses and people write them. */

import { LONGEST_TIMER_MS, SECOND_MS } from "./timings.js";

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

/** A moment by both clocks, ms. */
export interface Moment {
  readonly now: number;
  readonly monotonic: number;
}

/**
 * When something that lasts began, by the wall clock as it is set now: the monotonic one measures how long it has lasted.
 * @param known absent: it begins now
 */
export function beginningOf(known: Moment | undefined, clock: Pick<Clock, "now" | "monotonic">): Moment {
  const current = { now: clock.now(), monotonic: clock.monotonic() };
  const { now, monotonic } = known ?? current;
  const measured = Math.round(current.now - (current.monotonic - monotonic));
  // Two readings of the clocks differ by a little: what people read stays the same.
  return { now: Math.abs(measured - now) < SECOND_MS ? now : measured, monotonic };
}

/** RFC 3339 with milliseconds: a cool-off may be a fraction of a second. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}

/** ms since the epoch; `undefined` if the text is not a time. */
export function timeOf(text: string | undefined): number | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** For people: `2026-01-01T10:02:11Z`; whole seconds, rounded up, so that no reader looks too early. */
export function timeText(ms: number): string {
  return new Date(Math.ceil(ms / SECOND_MS) * SECOND_MS).toISOString().replace(".000Z", "Z");
}

/** `12 s`, `3 min`, `2 h`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / SECOND_MS));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

/** `60 s`; long ones as people say them, too: `60000 s, 16h40m`. */
export function secondsText(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return hours === 0 ? `${seconds} s` : `${seconds} s, ${hours}h${rest === 0 ? "" : `${rest}m`}`;
}

const MICROS_IN_MS = 1000;
const MICRO_DIGITS = 3;

/** @param epochMs ms since the epoch; fractions become microseconds. */
export function microTime(epochMs: number): string {
  const ms = Math.floor(epochMs);
  const micros = Math.floor((epochMs - ms) * MICROS_IN_MS);
  return new Date(ms).toISOString().replace("Z", `${String(micros).padStart(MICRO_DIGITS, "0")}Z`);
}
