import type { ApiCall, CallPriority, RateFacts } from "../../../src/providers/call.js";
import { direct } from "../../../src/providers/layers/deadlines-and-retries.js";
import { RateLimiter, withRateLimit } from "../../../src/providers/layers/limiter.js";
import { FakeClock } from "../../support/time/fake-clock.js";

const LIMITS = [
  { calls: 250, seconds: 60 },
  { calls: 5_000, seconds: 3_600 },
];

/** A limiter on a fake clock, and the calls that it let go. */
export class Rig {
  readonly clock = new FakeClock();
  readonly limiter: RateLimiter;
  readonly sent: { readonly at: number; readonly name: string; readonly priority: CallPriority }[] = [];

  constructor(limits = LIMITS) {
    this.limiter = new RateLimiter(this.clock, limits);
  }

  ask(call: ApiCall, facts?: RateFacts): Promise<void> {
    const run = withRateLimit(this.limiter, this.clock)(direct);
    return run(call, async (attempt) => {
      const { requester, priority } = call.context;
      this.sent.push({ at: this.clock.monotonic(), name: requester.name, priority });
      if (facts !== undefined) attempt.sawLimit(facts);
    });
  }

  /** Calls within any `seconds`, at most. */
  densest(seconds: number): number {
    return Math.max(
      0,
      ...this.sent.map(
        ({ at }) => this.sent.filter((other) => other.at >= at && other.at < at + seconds * 1000).length,
      ),
    );
  }
}
