/** 1,200 calls in 5 minutes for a user, whatever tokens are used; one more, and all calls are refused for 5 minutes. */

import type { Clock } from "flipop-operator/clock";
import { SlidingWindow } from "../http/sliding-window.js";
import { REFUSALS } from "./errors.js";

const SECOND_MS = 1000;

export interface RateLimitOptions {
  /** @default 1,200 */
  readonly calls?: number;
  /** Of the window, and of the block that follows on one call too many. @default 300 */
  readonly seconds?: number;
}

export class RateLimit {
  private readonly window: SlidingWindow;
  private readonly calls: number;
  private readonly seconds: number;
  private blockedUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly clock: Pick<Clock, "monotonic">,
    { calls = 1_200, seconds = 300 }: RateLimitOptions = {},
  ) {
    this.calls = calls;
    this.seconds = seconds;
    this.window = new SlidingWindow(seconds * SECOND_MS);
  }

  /** Counts a call. Throws the refusal where it is one too many, or falls into a block. */
  admit(): void {
    const now = this.clock.monotonic();
    if (now >= this.blockedUntil && this.window.tryTake(now, this.calls)) return;
    if (now >= this.blockedUntil) this.blockedUntil = now + this.seconds * SECOND_MS;
    throw REFUSALS.rateLimited(this.calls, this.seconds);
  }

  /** The headers of every answer; `retry-after` while blocked. */
  headers(): Readonly<Record<string, string>> {
    const now = this.clock.monotonic();
    const blockedMs = Math.max(0, this.blockedUntil - now);
    const resetMs = blockedMs > 0 ? blockedMs : this.window.oldestLeavesAt(now) - now;
    const left = blockedMs > 0 ? 0 : Math.max(0, this.calls - this.window.used(now));
    return {
      ratelimit: `"default";r=${left};t=${Math.ceil(resetMs / SECOND_MS)}`,
      "ratelimit-policy": `"default";q=${this.calls};w=${this.seconds}`,
      ...(blockedMs > 0 ? { "retry-after": String(Math.ceil(blockedMs / SECOND_MS)) } : {}),
    };
  }
}
