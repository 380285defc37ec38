/** The layers next to the network: the deadlines of a call and of each attempt, the fence, the innermost runner, which sends once, and the retries of calls that are safe to repeat. */

import { exponentialMs, jittered, type Random } from "../../async.js";
import type { Clock } from "../../clock.js";
import { failedCalls } from "../../messages/failed-calls.js";
import { type Fence, NotLeaderError } from "../../runtime/fence.js";
import {
  CLOUD_ATTEMPT_SECONDS,
  CLOUD_ATTEMPTS,
  CLOUD_CALL_SECONDS,
  CLOUD_RETRY_AFTER_SECONDS,
  CLOUD_RETRY_FIRST_MS,
  CLOUD_RETRY_LONGEST_MS,
  SECOND_MS,
} from "../../timings.js";
import { type ApiCall, type Attempt, type CallLayer, type CallRunner, callText, type Send } from "../call.js";
import type { Credentials } from "../credentials.js";
import {
  isProviderError,
  isSuperseded,
  isWithdrawn,
  ProviderError,
  type ProviderErrorProps,
  withProps,
} from "../errors.js";

/** Ends the call after `seconds` on the clock, wherever it waits. */
export function withCallDeadline(clock: Clock, seconds = CLOUD_CALL_SECONDS): CallLayer {
  return (next) => async (call, send) => {
    const limited = limitedSignal({ clock, seconds }, call.context.signal);
    try {
      const startedAt = clock.monotonic();
      const endsAt = startedAt + seconds * SECOND_MS;
      return await next({ ...call, startedAt, endsAt, context: { ...call.context, signal: limited.signal } }, send);
    } finally {
      limited.dispose();
    }
  };
}

/** Ends each attempt after `seconds`. */
export function withAttemptDeadline(clock: Clock, seconds = CLOUD_ATTEMPT_SECONDS): CallLayer {
  return (next) => (call, send) => attemptWithin({ clock, seconds, next }, call, send);
}

/** For layers that bound one attempt. */
interface AttemptBound {
  readonly clock: Clock;
  readonly seconds: number;
  /** Asked when the time is over: ms by which the attempt may take longer. @default it may not */
  readonly leftMs?: () => number;
  /** What the signal aborts with. @default DeadlineReached */
  readonly reason?: () => Error;
  readonly next: CallRunner;
}

async function attemptWithin<T>(bound: AttemptBound, call: Parameters<CallRunner>[0], send: Send<T>): Promise<T> {
  const limited = limitedSignal(bound, call.context.signal);
  try {
    return await bound.next({ ...call, context: { ...call.context, signal: limited.signal } }, send);
  } finally {
    limited.dispose();
  }
}

/** Waits on the clock; rejects as the layer that waits should where the call ends first. */
async function waitFor(clock: Clock, ms: number, call: Parameters<CallRunner>[0]): Promise<void> {
  const { signal } = call.context;
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    if (signal?.aborted !== true) throw error;
    throw abortedError(call, signal, "not-sent");
  }
}

interface LimitedSignal {
  readonly signal: AbortSignal;
  dispose(): void;
}

/** A signal that aborts with its parent or after `seconds`; leaves neither timer nor listener once disposed. */
function limitedSignal(bound: Omit<AttemptBound, "next">, parent: AbortSignal | undefined): LimitedSignal {
  const { clock, seconds, leftMs = () => 0, reason = () => new DeadlineReached(seconds) } = bound;
  const controller = new AbortController();
  const follow = () => controller.abort(parent?.reason);
  const over = () => {
    const left = leftMs();
    if (left > 0) timer = clock.setTimer(left, over);
    else controller.abort(reason());
  };
  let timer = clock.setTimer(seconds * SECOND_MS, over);
  parent?.addEventListener("abort", follow, { once: true });
  if (parent?.aborted === true) follow();
  return {
    signal: controller.signal,
    dispose: () => {
      timer.cancel();
      parent?.removeEventListener("abort", follow);
    },
  };
}

/**
 * Asks the fence right before each write is sent, after all waiting, and ends the write before the lease can be lost:
 * whoever holds it next must not race with us. The write goes on while the lease is renewed. Reads pass. Rejects with NotLeaderError; nothing was sent then.
 */
export function withFence(fence: Fence, clock: Clock): CallLayer {
  return (next) => async (call, send) => {
    if (!call.write) return next(call, send);
    fence.assertHeld();
    const seconds = fence.remainingMs() / SECOND_MS;
    // Longer than any attempt: the attempt's own deadline comes first.
    const write =
      seconds > CLOUD_ATTEMPT_SECONDS
        ? next(call, send)
        : attemptWithin({ clock, seconds, leftMs: () => fence.remainingMs(), reason: leaseEnding, next }, call, send);
    return fence.track?.(write, call.context.signal) ?? write;
  };
}

function leaseEnding(): Error {
  return new LeaseEnding();
}

/** Why a signal aborted, where it was not a caller's own doing. */
class DeadlineReached extends Error {
  override readonly name = "DeadlineReached";

  constructor(readonly seconds: number) {
    super(failedCalls.late(seconds).seen);
  }
}

/** The write was ended while the lease was still sure to be held. */
class LeaseEnding extends Error {
  override readonly name = "LeaseEnding";

  constructor() {
    super(failedCalls.leaseEnding.seen);
  }
}

/** Runs a call with the signal of its context. */
export const direct: CallRunner = async (call, send) => {
  const attempt: Attempt = { signal: call.context.signal ?? NEVER, sawLimit: () => undefined };
  if (attempt.signal.aborted) throw abortedError(call, attempt.signal, "not-sent");
  try {
    return await send(attempt);
  } catch (error) {
    if (error instanceof ProviderError || error instanceof NotLeaderError) throw error;
    throw attempt.signal.aborted ? abortedError(call, attempt.signal, "unknown") : unforeseen(call, error);
  }
};

const NEVER = new AbortController().signal;

/**
 * The error of a call whose signal aborted, while it waited (`not-sent`) or was under way (`unknown`).
 * @param late what it says if the call ran out of time
 */
export function abortedError(
  call: ApiCall,
  signal: AbortSignal,
  outcome: "not-sent" | "unknown",
  late = failedCalls.late,
): ProviderError {
  const { reason } = signal as { reason: unknown };
  return new ProviderError({
    kind: "Unavailable",
    where: callText(call),
    ...endOf(reason, late),
    outcome,
    retrySafe: outcome === "not-sent" || call.repeatable,
    cause: reason,
  });
}

/** A timer of ours, the call's or the lease's, or the caller. */
function endOf(reason: unknown, late: typeof failedCalls.late): Pick<ProviderErrorProps, "seen" | "remedy" | "reason"> {
  if (reason instanceof DeadlineReached) {
    return { ...late(reason.seconds), reason: "DeadlineExceeded" };
  }
  if (reason instanceof LeaseEnding) return { ...failedCalls.leaseEnding, reason: "LeaseEnding" };
  return { ...failedCalls.givenUp, reason: "Cancelled" };
}

/** A fault of ours in reading an answer must not look like an answer. */
function unforeseen(call: ApiCall, error: unknown): ProviderError {
  return new ProviderError({
    kind: "Unavailable",
    where: callText(call),
    ...failedCalls.unforeseen(error),
    outcome: "unknown",
    retrySafe: call.repeatable,
    cause: error,
  });
}

const JITTER = 0.5;

export interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** On `Unauthorized`, the call is sent once more where there is another token by then. */
  readonly credentials: Credentials;
}

/**
 * - RateLimited: any call, since it was not processed; never earlier than the API says.
 * - Unavailable: where the call was not processed, or may be sent twice; not after two attempts without an answer, which the caller must report.
 * - Unauthorized: once, with another token, if there is one.
 */
export function withRetries(options: RetryOptions): CallLayer {
  return (next) => async (call, send) => {
    let renewed = false;
    let previous: ProviderError | undefined;
    const failures: Failed[] = [];
    for (;;) {
      const refused = options.credentials.token();
      try {
        return await next(call, send);
      } catch (caught) {
        if (!isProviderError(caught)) throw caught;
        // The API's answer helps the caller more than the news that a retry came too late.
        if (previous !== undefined && isSuperseded(caught) && call.context.recheck === undefined) throw previous;
        const error = withUnknown(caught, previous);
        previous = error;
        failures.push({ kind: error.kind, at: options.clock.monotonic() });
        if (error.kind === "Unauthorized" && !renewed && hasAnother(options.credentials, refused)) {
          renewed = true;
          continue;
        }
        await waitOrThrow(options, call, error, failures);
      }
    }
  };
}

/** An earlier attempt of the call may have come through, whatever became of this one. */
function withUnknown(error: ProviderError, previous: ProviderError | undefined): ProviderError {
  if (previous?.outcome !== "unknown" || isWithdrawn(error)) return error;
  return withProps(error, { outcome: "unknown", retrySafe: error.retrySafe });
}

function hasAnother(credentials: Credentials, refused: string): boolean {
  credentials.renew();
  return credentials.token() !== refused;
}

/** How and when an attempt ended, monotonic ms. */
interface Failed extends Pick<ProviderError, "kind"> {
  readonly at: number;
}

/** @param failures one for each attempt */
async function waitOrThrow(
  options: RetryOptions,
  call: ApiCall,
  error: ProviderError,
  failures: readonly Failed[],
): Promise<void> {
  const now = options.clock.monotonic();
  // A pause that the API asked for is no outage.
  const since = failures.find(({ kind }) => kind === "Unavailable")?.at ?? now;
  const lasts = error.kind === "Unavailable" && now - since >= CLOUD_ATTEMPT_SECONDS * SECOND_MS;
  const delay = lasts ? undefined : delayMs(error, failures.length, options.random);
  const left = (call.endsAt ?? Number.POSITIVE_INFINITY) - now;
  if (delay === undefined || delay >= left || call.context.signal?.aborted === true) throw error;
  await waitFor(options.clock, delay, call);
}

/** ms until the next attempt; `undefined`: none. Pure. */
function delayMs(error: ProviderError, attempt: number, random: Random): number | undefined {
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
