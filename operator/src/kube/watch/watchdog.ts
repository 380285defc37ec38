import type { Clock, Timer } from "../../clock.js";

/** Bites once when it has not been fed for `ms`. Feeding is cheap: it only notes the time. */
export class Watchdog {
  private fedAt: number;
  private timer: Timer;
  private done = false;

  constructor(
    private readonly clock: Clock,
    private readonly ms: number,
    private readonly bite: () => void,
  ) {
    this.fedAt = clock.monotonic();
    this.timer = this.arm(ms);
  }

  feed(): void {
    this.fedAt = this.clock.monotonic();
  }

  stop(): void {
    this.done = true;
    this.timer.cancel();
  }

  private arm(ms: number): Timer {
    return this.clock.setTimer(ms, () => this.check());
  }

  private check(): void {
    if (this.done) return;
    const left = this.fedAt + this.ms - this.clock.monotonic();
    if (left > 0) {
      this.timer = this.arm(left);
      return;
    }
    this.done = true;
    this.bite();
  }
}
