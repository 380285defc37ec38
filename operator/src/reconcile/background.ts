/** Work that may outlast the run that began it: a slow call of one thing must not hold up the others of a resource. */

import { setMaxListeners } from "node:events";
import { settlesWithin } from "../async/wait.js";
import type { Clock } from "../clock.js";

export class Background {
  private readonly work = new Set<Promise<unknown>>();
  private readonly life = new AbortController();
  private draining = false;

  constructor(private readonly clock: Clock) {
    // Each call under way listens to it.
    setMaxListeners(0, this.life.signal);
  }

  /** Aborts when what runs has to end. */
  get signal(): AbortSignal {
    return this.life.signal;
  }

  /** Nothing new should begin. */
  get over(): boolean {
    return this.draining || this.life.signal.aborted;
  }

  /** @param work never rejects. */
  start<T>(work: Promise<T>): Promise<T> {
    this.work.add(work);
    return work.finally(() => this.work.delete(work));
  }

  /** Ends with the signal, and with what runs then. */
  async run(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const end = () => {
        this.life.abort(signal.reason);
        resolve();
      };
      if (signal.aborted) end();
      else signal.addEventListener("abort", end, { once: true });
    });
    await Promise.allSettled(this.work);
  }

  /** Resolves to whether all has ended in time. */
  drain(deadlineMs: number): Promise<boolean> {
    this.draining = true;
    return settlesWithin(this.clock, deadlineMs, Promise.allSettled(this.work));
  }
}
