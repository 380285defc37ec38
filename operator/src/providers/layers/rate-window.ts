/** How many calls may be sent in a window of time, as the API counts it and as its answers say. */

import { RATE_WINDOW_MARGIN_MS, SECOND_MS } from "../../bounds.js";
import type { RateFacts } from "../call.js";

/** A limit that the API documents. */
export interface RateLimit {
  readonly calls: number;
  readonly seconds: number;
}

/**
 * The times of the last `calls` calls: exact under sliding and under fixed windows alike, which a bucket that refills
 * is not (a full one lets up to twice the limit through in one window).
 */
export class SlidingWindow {
  private readonly times: number[] = [];
  private at = 0;

  constructor(private readonly limit: RateLimit) {}

  /**
   * ms until a call may be sent that leaves `keep` for others.
   * @param nowMs monotonic.
   */
  waitMs(nowMs: number, keep: number): number {
    const size = Math.max(1, this.limit.calls - keep);
    if (this.times.length < size) return 0;
    // The call `size` calls ago must have left the window.
    const index = (this.at - size + this.limit.calls * 2) % this.limit.calls;
    const oldest = this.times[this.times.length < this.limit.calls ? this.times.length - size : index] ?? 0;
    return Math.max(0, oldest + this.limit.seconds * SECOND_MS + RATE_WINDOW_MARGIN_MS - nowMs);
  }

  take(nowMs: number): void {
    if (this.times.length < this.limit.calls) this.times.push(nowMs);
    else this.times[this.at] = nowMs;
    this.at = (this.at + 1) % this.limit.calls;
  }

  /** Calls that may be kept back at most: a share of the limit. */
  share(part: number): number {
    return Math.floor(this.limit.calls * part);
  }
}

/**
 * What the answers say is left, others that use the account included: a bucket that each answer sets and that refills
 * in the meantime at the limit's own rate. Answers may arrive out of order, so only news counts that were asked for
 * after the last.
 */
export class ReportedBudget {
  private left = Number.POSITIVE_INFINITY;
  private limit = Number.POSITIVE_INFINITY;
  private perMs = 0;
  private at = 0;
  private heardOf = 0;
  private sent = 0;

  /** @param seconds length of the window that the headers speak of. */
  constructor(private readonly seconds: number) {}

  /** A call leaves. Returns its number, for `heard`. */
  take(nowMs: number): number {
    this.refill(nowMs);
    this.left -= 1;
    this.sent += 1;
    return this.sent;
  }

  /** @param number of the call whose answer this is. */
  heard(facts: RateFacts, number: number, nowMs: number): void {
    if (number < this.heardOf || facts.limit <= 0) return;
    this.heardOf = number;
    this.limit = facts.limit;
    this.perMs = facts.limit / (this.seconds * SECOND_MS);
    // Calls sent after this one are not in its answer.
    this.left = facts.remaining - (this.sent - number);
    this.at = nowMs;
  }

  /** ms until a call may be sent that leaves `share` of the limit for others. */
  waitMs(nowMs: number, share: number): number {
    this.refill(nowMs);
    const missing = 1 + (Number.isFinite(this.limit) ? Math.floor(this.limit * share) : 0) - this.left;
    return missing <= 0 ? 0 : missing / this.perMs;
  }

  private refill(nowMs: number): void {
    if (!Number.isFinite(this.left)) return;
    this.left = Math.min(this.limit, this.left + (nowMs - this.at) * this.perMs);
    this.at = nowMs;
  }
}
