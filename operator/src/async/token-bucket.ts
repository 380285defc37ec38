/** A token bucket on an injected time: so many at once, so many a second after that. */

import { MAX_DEBT_SECONDS, SECOND_MS } from "../bounds.js";

export interface TokenBucketOptions {
  /** Tokens a second. */
  readonly perSecond: number;
  /** Tokens in a full bucket; it starts full. */
  readonly burst: number;
}

export class TokenBucket {
  private tokens: number;
  private at: number;

  /** @param nowMs monotonic. */
  constructor(
    private readonly options: TokenBucketOptions,
    nowMs: number,
  ) {
    this.tokens = options.burst;
    this.at = nowMs;
  }

  /** Takes a token if there is one. */
  tryTake(nowMs: number): boolean {
    this.refill(nowMs);
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }

  /** Takes a token in any case, from the future if need be. Returns ms until it is due, at most `MAX_DEBT_SECONDS`. */
  reserve(nowMs: number): number {
    this.refill(nowMs);
    this.tokens = Math.max(this.tokens - 1, -MAX_DEBT_SECONDS * this.options.perSecond);
    return this.tokens >= 0 ? 0 : (-this.tokens / this.options.perSecond) * SECOND_MS;
  }

  /** Full again: forgetting it changes nothing. */
  isFull(nowMs: number): boolean {
    this.refill(nowMs);
    return this.tokens >= this.options.burst;
  }

  private refill(nowMs: number): void {
    const gained = ((nowMs - this.at) / SECOND_MS) * this.options.perSecond;
    this.tokens = Math.min(this.options.burst, this.tokens + gained);
    this.at = nowMs;
  }
}
