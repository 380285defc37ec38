import { type Clock, sleepWith, systemClock } from "../../src/clock.js";

/** Real time, `factor` times as fast: for tests with real sockets whose waits are minutes by design. */
export function scaledClock(factor: number): Clock & { readonly pendingTimers: number } {
  const start = Date.now();
  const pending = new Set<object>();
  const clock = {
    now: () => start + (Date.now() - start) * factor,
    monotonic: () => performance.now() * factor,
    sleep: (ms: number, signal?: AbortSignal) => sleepWith(clock, ms, signal),
    setTimer: (ms: number, fn: () => void) => {
      const entry = {};
      pending.add(entry);
      const timer = systemClock.setTimer(ms / factor, () => {
        pending.delete(entry);
        fn();
      });
      return {
        cancel: () => {
          pending.delete(entry);
          timer.cancel();
        },
      };
    },
    get pendingTimers() {
      return pending.size;
    },
  };
  return clock;
}
