import { type Clock, sleepWith, type Timer } from "../../../src/clock.js";

interface Pending {
  readonly at: number;
  readonly sequence: number;
  readonly fn: () => void;
}

/** Turns of the event loop given to promises after each timer; enough for a chain of awaits, not for real I/O. */
const FLUSH_TURNS = 3;

/** A clock that stands still until a test advances it. Wall and monotonic move together unless `skew` says otherwise. */
export class FakeClock implements Clock {
  private readonly pending = new Set<Pending>();
  private elapsed = 0;
  private sequence = 0;

  /** @param start ms since the epoch. */
  constructor(private start = Date.UTC(2025, 0, 1)) {}

  now(): number {
    return this.start + this.elapsed;
  }

  monotonic(): number {
    return this.elapsed;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepWith(this, ms, signal);
  }

  setTimer(ms: number, fn: () => void): Timer {
    const entry: Pending = { at: this.elapsed + Math.max(0, ms), sequence: this.sequence++, fn };
    this.pending.add(entry);
    return { cancel: () => this.pending.delete(entry) };
  }

  /** Timers not yet fired nor cancelled: 0 at the end of a test that leaks nothing. */
  get pendingTimers(): number {
    return this.pending.size;
  }

  /** ms until the next timer, if there is one. */
  get nextTimerMs(): number | undefined {
    const next = this.next();
    return next === undefined ? undefined : next.at - this.elapsed;
  }

  /** Moves the wall clock only, as an NTP step would. */
  skew(ms: number): void {
    this.start += ms;
  }

  /** Moves time forward; each due timer runs at its own time, in order, followed by its promises. */
  async advance(ms: number): Promise<void> {
    const target = this.elapsed + ms;
    await this.flush();
    for (let entry = this.next(); entry !== undefined && entry.at <= target; entry = this.next()) {
      this.elapsed = Math.max(this.elapsed, entry.at);
      this.pending.delete(entry);
      entry.fn();
      await this.flush();
    }
    this.elapsed = target;
    await this.flush();
  }

  /** Jumps without running any timer in between, as a stalled event loop does; then the overdue ones run. */
  async stall(ms: number): Promise<void> {
    this.elapsed += ms;
    await this.advance(0);
  }

  /** Lets promises and immediates settle; time stands still. */
  async flush(): Promise<void> {
    for (let iteration = 0; iteration < FLUSH_TURNS; iteration++)
      await new Promise<void>((resolve) => setImmediate(resolve));
  }

  private next(): Pending | undefined {
    let first: Pending | undefined;
    for (const entry of this.pending) {
      if (first === undefined || entry.at < first.at || (entry.at === first.at && entry.sequence < first.sequence)) {
        first = entry;
      }
    }
    return first;
  }
}
