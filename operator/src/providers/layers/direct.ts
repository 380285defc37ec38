/** The innermost runner: sends once, and lets nothing out but errors that callers know. */

import { NotLeaderError } from "../../runtime/fence.js";
import { type ApiCall, type Attempt, type CallRunner, whereOf } from "../call.js";
import { ProviderError, type ProviderErrorProps, REMEDIES } from "../errors.js";

/** Why a signal aborted, where it was not a caller's own doing. */
export class DeadlineReached extends Error {
  override readonly name = "DeadlineReached";

  constructor(readonly seconds: number) {
    super(`no complete answer within ${seconds} s`);
  }
}

/** The write was ended while the lease was still sure to be held. No number: it would be another one each time. */
export class LeaseEnding extends Error {
  override readonly name = "LeaseEnding";

  constructor() {
    super("no complete answer for as long as the lease was sure to be held");
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

/** The error of a call whose signal aborted, while it waited (`not-sent`) or was under way (`unknown`). */
export function abortedError(call: ApiCall, signal: AbortSignal, outcome: "not-sent" | "unknown"): ProviderError {
  const { reason } = signal as { reason: unknown };
  return new ProviderError({
    kind: "Unavailable",
    where: whereOf(call),
    ...endOf(reason),
    outcome,
    retrySafe: outcome === "not-sent" || call.repeatable,
    cause: reason,
  });
}

/** A timer of ours, the call's or the lease's, or the caller. */
function endOf(reason: unknown): Pick<ProviderErrorProps, "seen" | "remedy" | "reason"> {
  if (reason instanceof DeadlineReached) {
    return { seen: reason.message, remedy: REMEDIES.Unavailable, reason: "DeadlineExceeded" };
  }
  if (reason instanceof LeaseEnding) return { seen: reason.message, remedy: LEASE_REMEDY, reason: "LeaseEnding" };
  const remedy = "nothing; whoever asked no longer waits for the answer";
  return { seen: "the call was given up", remedy, reason: "Cancelled" };
}

const LEASE_REMEDY =
  "it is tried again; if this lasts, look for a Kubernetes API server that is slow to renew the lease, and at the provider's status page";

/** A fault of ours in reading an answer must not look like an answer. */
function unforeseen(call: ApiCall, error: unknown): ProviderError {
  return new ProviderError({
    kind: "Unavailable",
    where: whereOf(call),
    seen: `the answer could not be handled (${error instanceof Error ? error.message : String(error)})`,
    remedy: "report this as a fault of the operator, with its log",
    outcome: "unknown",
    retrySafe: call.repeatable,
    cause: error,
  });
}
