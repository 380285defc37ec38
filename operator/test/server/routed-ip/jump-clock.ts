import { type Clock, sleepWith, systemClock, type Timer } from "../../../src/clock.js";

interface Pending {
  /** By the monotonic clock. */
  readonly at: number;
  readonly fn: () => void;
  timer: Timer;
}

/** Real time that can be moved forward: what would be due by then is due at once. */
export class JumpClock implements Clock {
  private offset = 0;
  private readonly pending = new Set<Pending>();

  now(): number {
    return systemClock.now() + this.offset;
  }

  monotonic(): number {
    return systemClock.monotonic() + this.offset;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepWith(this, ms, signal);
  }

  setTimer(ms: number, fn: () => void): Timer {
    const entry: Pending = { at: this.monotonic() + ms, fn, timer: { cancel: () => undefined } };
    this.pending.add(entry);
    this.arm(entry);
    return {
      cancel: () => {
        this.pending.delete(entry);
        entry.timer.cancel();
      },
    };
  }

  jump(ms: number): void {
    this.offset += ms;
    for (const entry of this.pending) {
      entry.timer.cancel();
      this.arm(entry);
    }
  }

  private arm(entry: Pending): void {
    entry.timer = systemClock.setTimer(entry.at - this.monotonic(), () => {
      this.pending.delete(entry);
      entry.fn();
    });
  }
}
