import { type Clock, sleepWith, type Timer } from "../../../src/clock.js";

interface Pending {
  readonly at: number;
  readonly fn: () => void;
}

/** Microtasks that promises get after each timer: enough for a chain of awaits, without a turn of the event loop. */
const FLUSH_TURNS = 8;

/** A clock for simulations of weeks: as the fake clock, for code whose promises need no I/O. */
export class VirtualClock implements Clock {
  private readonly pending = new Set<Pending>();
  private elapsed = 0;

  now(): number {
    return Date.UTC(2025, 0, 1) + this.elapsed;
  }

  monotonic(): number {
    return this.elapsed;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepWith(this, ms, signal);
  }

  setTimer(ms: number, fn: () => void): Timer {
    const entry: Pending = { at: this.elapsed + Math.max(0, ms), fn };
    this.pending.add(entry);
    return { cancel: () => this.pending.delete(entry) };
  }

  get pendingTimers(): number {
    return this.pending.size;
  }

  async advance(ms: number): Promise<void> {
    const target = this.elapsed + ms;
    for (let entry = this.next(); entry !== undefined && entry.at <= target; entry = this.next()) {
      this.elapsed = Math.max(this.elapsed, entry.at);
      this.pending.delete(entry);
      entry.fn();
      for (let turn = 0; turn < FLUSH_TURNS; turn++) await Promise.resolve();
    }
    this.elapsed = target;
  }

  /** The earliest; of several, the one that was set first. */
  private next(): Pending | undefined {
    let first: Pending | undefined;
    for (const entry of this.pending) if (first === undefined || entry.at < first.at) first = entry;
    return first;
  }
}
