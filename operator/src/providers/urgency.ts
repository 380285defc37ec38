/** The classes of calls, and the class of a read that several callers share. */

/**
 * Work classes, the most urgent first. Each has a guaranteed share of the account's limits (limiter.ts).
 * - `assignment`: moves of addresses, with the reads, polls and firewall rules that a move needs.
 * - `records`: changes of records, creations and releases, and the reads that they need.
 * - `check`: everything that only looks.
 */
export const CALL_PRIORITIES = ["assignment", "records", "check"] as const;

export type CallPriority = (typeof CALL_PRIORITIES)[number];

/** Of a shared read: the most urgent caller decides, whenever it comes. */
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
