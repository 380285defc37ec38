/** The class of a read that several callers share: the most urgent caller decides, whenever it comes. */

import { CALL_PRIORITIES, type CallPriority } from "./call.js";

export class Urgency {
  private readonly listeners = new Set<() => void>();

  constructor(private current: CallPriority) {}

  get priority(): CallPriority {
    return this.current;
  }

  /** Never lowers it. */
  raise(to: CallPriority): void {
    if (CALL_PRIORITIES.indexOf(to) >= CALL_PRIORITIES.indexOf(this.current)) return;
    this.current = to;
    for (const listener of [...this.listeners]) listener();
  }

  /** @returns the end of it. */
  onRaise(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
