/** Waits with an end. */

import type { Clock } from "../clock.js";

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

export interface AnyAbort {
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
  const aborted = new Promise<void>((resolve) => {
    controller.signal.addEventListener("abort", () => resolve(), { once: true });
  });
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
