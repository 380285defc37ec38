/** The same fact is not read again before a pause has passed or something has changed: the last answer stands. */

import { READ_PAUSE_MS } from "../bounds.js";
import type { Clock } from "../clock.js";
import { isProviderError } from "../providers/errors.js";

export interface Answer<T> {
  /** When the read began, monotonic ms. */
  readonly askedAt: number;
  readonly value: Promise<T>;
}

export class ReadGate<T> {
  /** Oldest first. */
  private readonly answers = new Map<string, Answer<T>>();

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  /** Sends the read, or gives the answer of the last one, a failure included. */
  read(key: string, send: () => Promise<T>): Answer<T> {
    const now = this.clock.monotonic();
    this.forgetBefore(now - READ_PAUSE_MS);
    const last = this.answers.get(key);
    if (last !== undefined) return last;
    const answer = { askedAt: now, value: send() };
    this.answers.set(key, answer);
    // A caller that gave up says nothing about the fact.
    answer.value.catch((error: unknown) => {
      if (isProviderError(error) && error.reason === "Cancelled" && this.answers.get(key) === answer) this.changed(key);
    });
    return answer;
  }

  /** The operator changed the fact, or a refused call shows that something did. */
  changed(key: string): void {
    this.answers.delete(key);
  }

  /** When the key may be read again, monotonic ms; `undefined`: at once. */
  nextAt(key: string): number | undefined {
    const last = this.answers.get(key);
    return last === undefined ? undefined : last.askedAt + READ_PAUSE_MS;
  }

  private forgetBefore(oldest: number): void {
    for (const [key, { askedAt }] of this.answers) {
      if (askedAt > oldest) return;
      this.answers.delete(key);
    }
  }
}
