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

export class ReadGate<T> {
  /** Reads that have no answer yet: the rate limit may delay one for far longer than the pause. */
  private readonly pending = new Map<string, { readonly answer: Answer<T>; readonly urgency: Urgency }>();
  /** In the order of arrival, with the arrival's monotonic ms. */
  private readonly answered = new Map<string, { readonly answer: Answer<T>; readonly at: number }>();

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  /**
   * Sends the read, or returns the one that waits, or the last answer, a failure included.
   * @param urgency of this caller; if the caller's read is sent, the class that later callers raise
   */
  read(key: string, send: () => Promise<T>, urgency: Urgency): Answer<T> {
    const now = this.clock.monotonic();
    this.forgetBefore(now - READ_PAUSE_MS);
    const pending = this.pending.get(key);
    pending?.urgency.raise(urgency.priority);
    const last = pending ?? this.answered.get(key);
    if (last !== undefined) return last.answer;
    const answer = { askedAt: now, value: send() };
    this.pending.set(key, { answer, urgency });
    answer.value.then(
      () => this.settle(key, answer),
      (error: unknown) => this.settle(key, answer, error),
    );
    return answer;
  }

  /** The operator changed the fact, or a refused call shows that something did. */
  changed(key: string): void {
    this.pending.delete(key);
    this.answered.delete(key);
  }

  /** When the key may be read again, monotonic ms; `undefined`: at once. */
  nextAt(key: string): number | undefined {
    if (this.pending.has(key)) return this.clock.monotonic() + READ_PAUSE_MS;
    const last = this.answered.get(key);
    return last === undefined ? undefined : last.at + READ_PAUSE_MS;
  }

  private settle(key: string, answer: Answer<T>, error?: unknown): void {
    if (this.pending.get(key)?.answer !== answer) return;
    this.pending.delete(key);
    // A caller that gave up says nothing about the fact.
    if (isProviderError(error) && error.reason === "Cancelled") return;
    this.answered.set(key, { answer, at: this.clock.monotonic() });
  }

  private forgetBefore(oldest: number): void {
    for (const [key, { at }] of this.answered) {
      if (at > oldest) return;
      this.answered.delete(key);
    }
  }
}
