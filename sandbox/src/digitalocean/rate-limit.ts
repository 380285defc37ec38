/** Limits of calls for each token: sliding windows of an hour and of a minute. */

import { Refusal, type SimulatorRequest } from "../http/message.js";
import { SlidingWindow } from "../http/sliding-window.js";
import { errorBody } from "./errors.js";
import type { RateLimits } from "./settings.js";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

interface Windows {
  readonly hour: SlidingWindow;
  readonly minute: SlidingWindow;
}

export class RateLimit {
  private readonly callers = new Map<string, Windows>();

  /** @param now ms since the epoch. */
  constructor(
    private readonly limits: RateLimits,
    private readonly now: () => number,
  ) {}

  /** Counts a call of the token. Throws a 429, which is not counted; with retry-after only beyond the minute's limit. */
  count(request: SimulatorRequest, caller: string): void {
    const { hour, minute } = this.windows(caller);
    const now = this.now();
    if (hour.used(now) >= this.limits.perHour) throw tooMany(request, {});
    if (minute.used(now) >= this.limits.perMinute) {
      const wait = Math.max(1, Math.ceil((minute.oldestLeavesAt(now) - now) / SECOND_MS));
      throw tooMany(request, { "retry-after": String(wait) });
    }
    hour.count(now);
    minute.count(now);
  }

  /** The hour's limit, what is left of it, and when (s since the epoch) its oldest call expires. */
  headers(caller: string): Readonly<Record<string, string>> {
    const { hour } = this.windows(caller);
    const now = this.now();
    return {
      "ratelimit-limit": String(this.limits.perHour),
      "ratelimit-remaining": String(Math.max(0, this.limits.perHour - hour.used(now))),
      "ratelimit-reset": String(Math.ceil(hour.oldestLeavesAt(now) / SECOND_MS)),
    };
  }

  private windows(caller: string): Windows {
    const known = this.callers.get(caller);
    if (known !== undefined) return known;
    const made = { hour: new SlidingWindow(HOUR_MS), minute: new SlidingWindow(MINUTE_MS) };
    this.callers.set(caller, made);
    return made;
  }
}

function tooMany(request: SimulatorRequest, headers: Readonly<Record<string, string>>): Refusal {
  const message = "API rate limit exceeded.";
  return new Refusal(message, { status: 429, headers, body: errorBody(request, 429, message) });
}
