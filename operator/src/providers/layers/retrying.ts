/** Sends again what can be sent again without harm. */

import { exponentialMs, jittered, type Random } from "../../async/backoff.js";
import {
  CLOUD_ATTEMPTS,
  CLOUD_RETRY_AFTER_SECONDS,
  CLOUD_RETRY_FIRST_MS,
  CLOUD_RETRY_LONGEST_MS,
  SECOND_MS,
} from "../../bounds.js";
import type { Clock } from "../../clock.js";
import type { ApiCall, CallLayer } from "../call.js";
import type { Credentials } from "../credentials.js";
import { isSuperseded, isWithdrawn } from "../decision.js";
import { isProviderError, type ProviderError } from "../errors.js";
import { waitFor } from "./deadlines.js";

const JITTER = 0.5;

export interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** On `Unauthorized`, the call is sent once more where there is another token by then. */
  readonly credentials: Credentials;
}

/**
 * - RateLimited: any call, since it was not processed; never earlier than the API says.
 * - Unavailable: where the call was not processed, or may be sent twice.
 * - Unauthorized: once, with another token, if there is one.
 */
export function withRetries(options: RetryOptions): CallLayer {
  return (next) => async (call, send) => {
    let renewed = false;
    let previous: ProviderError | undefined;
    for (let attempt = 1; ; attempt++) {
      const refused = options.credentials.token();
      try {
        return await next(call, send);
      } catch (error) {
        if (!isProviderError(error)) throw error;
        // The API's answer helps the caller more than the news that a retry came too late.
        if (previous !== undefined && isSuperseded(error) && call.context.recheck === undefined) throw previous;
        previous = error;
        if (error.kind === "Unauthorized" && !renewed && hasAnother(options.credentials, refused)) {
          renewed = true;
          continue;
        }
        await waitOrThrow(options, call, error, attempt);
      }
    }
  };
}

function hasAnother(credentials: Credentials, refused: string): boolean {
  credentials.renew();
  return credentials.token() !== refused;
}

async function waitOrThrow(options: RetryOptions, call: ApiCall, error: ProviderError, attempt: number): Promise<void> {
  const delay = delayMs(error, attempt, options.random);
  const left = (call.endsAt ?? Number.POSITIVE_INFINITY) - options.clock.monotonic();
  if (delay === undefined || delay >= left || call.context.signal?.aborted === true) throw error;
  await waitFor(options.clock, delay, call);
}

/** ms until the next attempt; `undefined`: none. Pure. */
export function delayMs(error: ProviderError, attempt: number, random: Random): number | undefined {
  if (attempt >= CLOUD_ATTEMPTS || !error.retrySafe) return undefined;
  if (error.kind !== "RateLimited" && error.kind !== "Unavailable") return undefined;
  if (error.reason === "CircuitOpen" || isWithdrawn(error)) return undefined;
  const asked = error.retryAfterSeconds ?? 0;
  if (asked > CLOUD_RETRY_AFTER_SECONDS) return undefined;
  // Jitter only ever adds: earlier than asked would be refused again.
  return jittered(
    Math.max(asked * SECOND_MS, exponentialMs(attempt - 1, CLOUD_RETRY_FIRST_MS, CLOUD_RETRY_LONGEST_MS)),
    JITTER,
    random,
  );
}
