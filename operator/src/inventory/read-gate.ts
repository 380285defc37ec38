/** The same fact is not read again before a pause has passed or something has changed: the last answer stands. */

import { READ_PAUSE_MS } from "../bounds.js";
import type { Clock } from "../clock.js";
import { isProviderError } from "../providers/errors.js";
import type { Urgency } from "../providers/urgency.js";

export interface Answer<T> {
  /** When the read began, monotonic ms. */
  readonly askedAt: number;
  readonly value: Promise<T>;
}

interface Read<T> extends Answer<T> {
  /** The rate limit may delay a read for far longer than the pause. */
  pending: boolean;
  readonly urgency: Urgency;
}

export class ReadGate<T> {
  /** Oldest first. */
  private readonly reads = new Map<string, Read<T>>();

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  /**
   * Sends the read, or returns the one that waits, or the last answer, a failure included.
   * @param urgency of this caller; if the caller's read is sent, the class that later callers raise
   */
  read(key: string, send: () => Promise<T>, urgency: Urgency): Answer<T> {
    const now = this.clock.monotonic();
    this.forgetBefore(now - READ_PAUSE_MS);
    const last = this.reads.get(key);
    last?.urgency.raise(urgency.priority);
    if (last !== undefined) return last;
    const read: Read<T> = { askedAt: now, value: send(), pending: true, urgency };
    this.reads.set(key, read);
    const settle = (error?: unknown) => {
      read.pending = false;
      // A caller that gave up says nothing about the fact.
      const gaveUp = isProviderError(error) && error.reason === "Cancelled";
      if (gaveUp && this.reads.get(key) === read) this.changed(key);
    };
    read.value.then(() => settle(), settle);
    return read;
  }

  /** The operator changed the fact, or a refused call shows that something did. */
  changed(key: string): void {
    this.reads.delete(key);
  }

  /** When the key may be read again, monotonic ms; `undefined`: at once. */
  nextAt(key: string): number | undefined {
    const last = this.reads.get(key);
    if (last === undefined) return undefined;
    return (last.pending ? this.clock.monotonic() : last.askedAt) + READ_PAUSE_MS;
  }

  private forgetBefore(oldest: number): void {
    for (const [key, { askedAt, pending }] of this.reads) {
      if (askedAt > oldest) return;
      if (!pending) this.reads.delete(key);
    }
  }
}
