import { type Clock, sleepWith } from "../../../src/clock.js";

/** Real ms between two steps. */
const STEP_MS = 1;
/** Real ms of one step that count in full; of the rest only a share, so that a busy machine slows the clock down and expires no deadline. */
const LONGEST_STEP_MS = 20;
/** The share of the rest that counts: the clock never stands still while code runs, so whoever measures its own work sees it. */
const LATE_SHARE = 0.02;

interface Pending {
  readonly at: number;
  readonly sequence: number;
  readonly fn: () => void;
}

/** The steps of all scaled clocks of this process, in real ms that this process had. */
class Steps {
  private readonly listeners = new Set<() => void>();
  private ticker: NodeJS.Timeout | undefined;
  private steppedAt = 0;
  private passed = 0;

  /** Real ms of steps so far, since an arbitrary start. */
  get elapsed(): number {
    return this.passed + (this.ticker === undefined ? 0 : this.sinceStep());
  }

  /** Calls `listener` after each step until the returned function is called. */
  follow(listener: () => void): () => void {
    this.listeners.add(listener);
    if (this.ticker === undefined) {
      this.steppedAt = performance.now();
      this.ticker = setInterval(() => this.step(), STEP_MS);
    }
    return () => this.leave(listener);
  }

  private leave(listener: () => void): void {
    this.listeners.delete(listener);
    if (this.listeners.size > 0) return;
    this.passed += this.sinceStep();
    clearInterval(this.ticker);
    this.ticker = undefined;
  }

  private sinceStep(): number {
    const ms = performance.now() - this.steppedAt;
    return ms <= LONGEST_STEP_MS ? ms : LONGEST_STEP_MS + (ms - LONGEST_STEP_MS) * LATE_SHARE;
  }

  private step(): void {
    this.passed += this.sinceStep();
    this.steppedAt = performance.now();
    for (const listener of [...this.listeners]) listener();
  }
}

const steps = new Steps();

/**
 * Real time, `factor` times as fast: for tests with real sockets whose waits are minutes by design. Time stands still
 * while no timer is pending, and of a step that the machine delays little more than 20 ms count, so a busy machine expires no deadline.
 */
export function scaledClock(factor: number): Clock & { readonly pendingTimers: number } {
  const start = Date.now();
  const pending = new Set<Pending>();
  let sequence = 0;
  let leave: (() => void) | undefined;
  const fire = () => {
    const due = [...pending].filter(({ at }) => at <= clock.monotonic());
    for (const entry of due.sort((a, b) => a.at - b.at || a.sequence - b.sequence)) {
      if (pending.delete(entry)) entry.fn();
    }
    rest();
  };
  const rest = () => {
    if (pending.size > 0) return;
    leave?.();
    leave = undefined;
  };
  const clock = {
    now: () => start + clock.monotonic(),
    monotonic: () => steps.elapsed * factor,
    sleep: (ms: number, signal?: AbortSignal) => sleepWith(clock, ms, signal),
    setTimer: (ms: number, fn: () => void) => {
      const entry: Pending = { at: clock.monotonic() + ms, sequence: sequence++, fn };
      pending.add(entry);
      leave ??= steps.follow(fire);
      return {
        cancel: () => {
          pending.delete(entry);
          rest();
        },
      };
    },
    get pendingTimers() {
      return pending.size;
    },
  };
  return clock;
}
