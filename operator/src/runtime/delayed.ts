/** Keys due later. A key is held once, at the earliest time that anyone asked for. */

import type { Clock, Timer } from "../clock.js";

interface Due {
  /** Monotonic ms. */
  readonly at: number;
  readonly timer: Timer;
}

export class DelayedKeys {
  private readonly waiting = new Map<string, Due>();

  constructor(
    private readonly clock: Pick<Clock, "monotonic" | "setTimer">,
    private readonly due: (key: string) => void,
  ) {}

  get size(): number {
    return this.waiting.size;
  }

  /** @param ms from now; a later wish for a key that is held already changes nothing. */
  add(key: string, ms: number): void {
    const at = this.clock.monotonic() + ms;
    const held = this.waiting.get(key);
    if (held !== undefined && held.at <= at) return;
    held?.timer.cancel();
    const timer = this.clock.setTimer(ms, () => {
      this.waiting.delete(key);
      this.due(key);
    });
    this.waiting.set(key, { at, timer });
  }

  clear(): void {
    for (const { timer } of this.waiting.values()) timer.cancel();
    this.waiting.clear();
  }
}
