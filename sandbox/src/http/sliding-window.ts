/** Calls in a window of time that slides: a call leaves it when it is as old as the window. */
export class SlidingWindow {
  private times: number[] = [];

  constructor(readonly windowMs: number) {}

  /** Calls in the window now. */
  used(nowMs: number): number {
    const gone = this.times.findIndex((time) => time + this.windowMs > nowMs);
    if (gone !== 0) this.times = gone < 0 ? [] : this.times.slice(gone);
    return this.times.length;
  }

  count(nowMs: number): void {
    this.times.push(nowMs);
  }

  /** Counts a call if there are fewer than `limit`. */
  tryTake(nowMs: number, limit: number): boolean {
    if (this.used(nowMs) >= limit) return false;
    this.count(nowMs);
    return true;
  }

  /** When the oldest call leaves the window; now, if there is none. */
  oldestLeavesAt(nowMs: number): number {
    this.used(nowMs);
    const [oldest] = this.times;
    return oldest === undefined ? nowMs : oldest + this.windowMs;
  }
}
