import type { Clock, Timer } from "flipop-operator/clock";

/** What happens later in the simulated account. Everything is cancelled when the simulator closes. */
export class Scheduler {
  private readonly timers = new Set<Timer>();

  constructor(private readonly clock: Clock) {}

  later(ms: number, happen: () => void): Timer {
    const timer = this.clock.setTimer(ms, () => {
      this.timers.delete(timer);
      happen();
    });
    this.timers.add(timer);
    return {
      cancel: () => {
        this.timers.delete(timer);
        timer.cancel();
      },
    };
  }

  close(): void {
    for (const timer of this.timers) timer.cancel();
    this.timers.clear();
  }
}
