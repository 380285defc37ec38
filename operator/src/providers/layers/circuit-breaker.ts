/** Lets an API rest that fails again and again, so that an outage is not made worse and retries cost nothing. */

import { exponentialMs, jittered, type Random } from "../../async/backoff.js";
import { BREAKER_FIRST_REST_MS, BREAKER_LONGEST_REST_MS, SECOND_MS } from "../../bounds.js";
import type { Clock } from "../../clock.js";
import { type ApiCall, type CallLayer, whereOf } from "../call.js";
import { isWithdrawn } from "../decision.js";
import { isProviderError, ProviderError } from "../errors.js";

/** Failures in a row that open it. */
const THRESHOLD = 5;
const JITTER = 0.2;

/**
 * Closed: calls pass. After `THRESHOLD` failures in a row it opens: calls are refused at once. After a rest one call
 * passes as a probe; its success closes the circuit, its failure doubles the rest. One for each work class
 * of each token: failing records say nothing about moves.
 */
export class CircuitBreaker {
  private failures = 0;
  private rests = 0;
  private openUntil: number | undefined;
  private probing = false;

  constructor(
    private readonly clock: Pick<Clock, "monotonic">,
    private readonly random: Random,
  ) {}

  /** Seconds until the next call may pass; 0: now. */
  get restSeconds(): number {
    if (this.openUntil === undefined) return 0;
    return Math.max(0, this.openUntil - this.clock.monotonic()) / SECOND_MS;
  }

  /** Whether a call may pass now. Each `true` must be followed by `settled`. */
  admit(): boolean {
    if (this.openUntil === undefined) return true;
    if (this.probing || this.restSeconds > 0) return false;
    this.probing = true;
    return true;
  }

  /** The result of an admitted call: whether the API works. `undefined`: the call does not show it. */
  settled(works: boolean | undefined): void {
    this.probing = false;
    if (works === undefined) return;
    if (works) {
      this.failures = 0;
      this.rests = 0;
      this.openUntil = undefined;
      return;
    }
    this.failures += 1;
    if (this.failures < THRESHOLD) return;
    const rest = jittered(
      exponentialMs(this.rests, BREAKER_FIRST_REST_MS, BREAKER_LONGEST_REST_MS),
      JITTER,
      this.random,
    );
    this.rests += 1;
    this.openUntil = this.clock.monotonic() + rest;
  }
}

export function withCircuitBreaker(breaker: CircuitBreaker): CallLayer {
  return (next) => async (call, send) => {
    if (!breaker.admit()) throw openError(call, breaker.restSeconds);
    try {
      const answer = await next(call, send);
      breaker.settled(true);
      return answer;
    } catch (error) {
      breaker.settled(verdict(error));
      throw error;
    }
  };
}

/** Only `Unavailable` speaks against the API; any refusal shows that it works; a call given up shows nothing. */
function verdict(error: unknown): boolean | undefined {
  if (!isProviderError(error) || isWithdrawn(error)) return undefined;
  if (error.kind !== "Unavailable") return true;
  // Of calls that were never sent, only those that tried to connect tell something.
  const outOfTime = error.reason === "DeadlineExceeded" || error.reason === "LeaseEnding";
  return outOfTime && error.outcome === "not-sent" ? undefined : false;
}

function openError(call: ApiCall, seconds: number): ProviderError {
  return new ProviderError({
    kind: "Unavailable",
    where: whereOf(call),
    // No time: the text goes to statuses, and each retry would write another one.
    seen: `the API failed ${THRESHOLD} times in a row or more, so no call is sent for a while`,
    remedy: "look at the provider's status page and at the network if this lasts",
    outcome: "not-sent",
    reason: "CircuitOpen",
    retryAfterSeconds: seconds,
  });
}
