/** Ends for calls: one for the whole call with its waits and retries, one for each attempt. */

import { CLOUD_ATTEMPT_SECONDS, CLOUD_CALL_SECONDS, SECOND_MS } from "../../bounds.js";
import type { Clock } from "../../clock.js";
import type { CallLayer, CallRunner, Send } from "../call.js";
import { abortedError, DeadlineReached } from "./direct.js";

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
export interface AttemptBound {
  readonly clock: Clock;
  readonly seconds: number;
  /** What the signal aborts with. @default DeadlineReached */
  readonly reason?: () => Error;
  readonly next: CallRunner;
}

export async function attemptWithin<T>(
  bound: AttemptBound,
  call: Parameters<CallRunner>[0],
  send: Send<T>,
): Promise<T> {
  const limited = limitedSignal(bound, call.context.signal);
  try {
    return await bound.next({ ...call, context: { ...call.context, signal: limited.signal } }, send);
  } finally {
    limited.dispose();
  }
}

/** Waits on the clock; rejects as the layer that waits should where the call ends first. */
export async function waitFor(clock: Clock, ms: number, call: Parameters<CallRunner>[0]): Promise<void> {
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
  const { clock, seconds, reason = () => new DeadlineReached(seconds) } = bound;
  const controller = new AbortController();
  const follow = () => controller.abort(parent?.reason);
  const timer = clock.setTimer(seconds * SECOND_MS, () => controller.abort(reason()));
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
