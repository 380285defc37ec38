/** Keeps calls under the API's rate limits. */

import { RATE_LIMIT_DEFAULT_WAIT_SECONDS, RATE_LIMIT_LONGEST_WAIT_SECONDS, SECOND_MS } from "../bounds.js";
import type { Clock, Timer } from "../clock.js";
import { type ApiCall, askerKey, type CallLayer, type CallPriority, type RateFacts } from "./call.js";
import { abortedError } from "./direct.js";
import { isProviderError } from "./errors.js";
import { FairQueue } from "./fair-queue.js";
import { type RateLimit, ReportedBudget, SlidingWindow } from "./rate-window.js";

/** Share of each limit that checks leave for assignments. */
const KEPT_FOR_ASSIGNMENTS = 0.2;

interface Waiter {
  readonly admit: (call: number) => void;
}

/**
 * One for each token. Calls wait for room in every window that the API documents, and in the budget that its answers
 * report; checks leave a share to assignments; askers take turns. After a refusal everything waits as long as asked.
 */
export class RateLimiter {
  private readonly queue = new FairQueue<Waiter>();
  private readonly windows: readonly SlidingWindow[];
  private readonly reported: ReportedBudget;
  private blockedUntil = 0;
  private timer: Timer | undefined;

  /** @param limits as the API documents them; its headers speak of the longest. */
  constructor(
    private readonly clock: Clock,
    limits: readonly RateLimit[],
  ) {
    this.windows = limits.map((limit) => new SlidingWindow(limit));
    this.reported = new ReportedBudget(Math.max(1, ...limits.map(({ seconds }) => seconds)));
  }

  /** Calls that wait. */
  get waiting(): number {
    return this.queue.size;
  }

  /** Resolves when the call may be sent, with its number. Rejects when its signal aborts first. */
  admit(call: ApiCall): Promise<number> {
    const { signal, priority, asker } = call.context;
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.queue.remove(priority, askerKey(asker), waiter);
        if (signal !== undefined) reject(abortedError(call, signal, "not-sent"));
      };
      const waiter: Waiter = {
        admit: (number) => {
          signal?.removeEventListener("abort", abort);
          resolve(number);
        },
      };
      this.queue.push(priority, askerKey(asker), waiter);
      signal?.addEventListener("abort", abort, { once: true });
      if (signal?.aborted === true) abort();
      this.pump();
    });
  }

  /** An answer told how much is left. @param call its number */
  heard(facts: RateFacts, call: number): void {
    const { remaining, resetAt } = facts;
    this.reported.heard(facts, call, this.clock.monotonic());
    // Nothing is left until then, however fast the window refills on average.
    if (remaining <= 0 && resetAt !== undefined) this.block((resetAt - this.clock.now()) / SECOND_MS);
    this.pump();
  }

  /** The API refused a call for its rate. */
  refused(retryAfterSeconds: number | undefined): void {
    this.block(retryAfterSeconds ?? RATE_LIMIT_DEFAULT_WAIT_SECONDS);
  }

  private block(seconds: number): void {
    const until = this.clock.monotonic() + Math.min(seconds, RATE_LIMIT_LONGEST_WAIT_SECONDS) * SECOND_MS;
    this.blockedUntil = Math.max(this.blockedUntil, until);
  }

  /** Lets go whoever may, and sets a timer for the next. */
  private pump(): void {
    this.timer?.cancel();
    this.timer = undefined;
    for (;;) {
      const priority = this.queue.next;
      if (priority === undefined) return;
      const now = this.clock.monotonic();
      const wait = this.waitMs(priority, now);
      if (wait > 0) {
        this.timer = this.clock.setTimer(Math.ceil(wait), () => this.pump());
        return;
      }
      for (const window of this.windows) window.take(now);
      this.queue.take(priority)?.admit(this.reported.take(now));
    }
  }

  private waitMs(priority: CallPriority, now: number): number {
    const share = priority === "check" ? KEPT_FOR_ASSIGNMENTS : 0;
    return Math.max(
      this.blockedUntil - now,
      this.reported.waitMs(now, share),
      ...this.windows.map((window) => window.waitMs(now, window.share(share))),
    );
  }
}

export function withRateLimit(limiter: RateLimiter): CallLayer {
  return (next) => async (call, send) => {
    const number = await limiter.admit(call);
    try {
      return await next(call, (attempt) =>
        send({
          ...attempt,
          sawLimit: (facts) => {
            limiter.heard(facts, number);
            attempt.sawLimit(facts);
          },
        }),
      );
    } catch (error) {
      if (isProviderError(error, "RateLimited")) limiter.refused(error.retryAfterSeconds);
      throw error;
    }
  };
}
