/** The life of one run: it ends with its parent or at its deadline, and is given up some grace after that. */

import type { Clock, Timer } from "../clock.js";

export interface ScopeOptions {
  readonly clock: Clock;
  readonly parent: AbortSignal;
  readonly deadlineMs: number;
  /** ms between the abort and the end of the wait for the aborted work. */
  readonly graceMs: number;
  /** The reason of the abort at the deadline. */
  readonly onDeadline: () => Error;
}

export class Scope {
  private readonly controller = new AbortController();
  private readonly deadline: Timer;
  private grace: Timer | undefined;
  private giveUp: () => void = () => undefined;
  /** Resolves `graceMs` after the abort; never, if disposed of before. */
  readonly givenUp: Promise<void>;

  constructor(private readonly options: ScopeOptions) {
    this.givenUp = new Promise((resolve) => {
      this.giveUp = resolve;
    });
    this.deadline = options.clock.setTimer(options.deadlineMs, () => this.abort(options.onDeadline()));
    options.parent.addEventListener("abort", this.parentAborted, { once: true });
    if (options.parent.aborted) this.parentAborted();
  }

  /** Aborts with the parent or at the deadline. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Leaves neither timer nor listener. */
  dispose(): void {
    this.deadline.cancel();
    this.grace?.cancel();
    this.options.parent.removeEventListener("abort", this.parentAborted);
  }

  private readonly parentAborted = () => this.abort(this.options.parent.reason);

  private abort(reason: unknown): void {
    if (this.controller.signal.aborted) return;
    this.deadline.cancel();
    this.grace = this.options.clock.setTimer(this.options.graceMs, this.giveUp);
    this.controller.abort(reason);
  }
}
