/** Whether the decision behind a call still holds when the call may be sent. */

import { MAX_DECISION_AGE_MS } from "../bounds.js";
import { type ApiCall, whereOf } from "./call.js";
import { isProviderError, ProviderError } from "./errors.js";

/**
 * Reads are always welcome. A write is checked against the facts of now; one whose caller gave no check is sent only
 * while its decision is young.
 */
export function supersededBecause({ write, startedAt, context }: ApiCall, now: number): string | undefined {
  if (!write) return undefined;
  if (context.recheck !== undefined) return context.recheck();
  if (startedAt === undefined || now - startedAt <= MAX_DECISION_AGE_MS) return undefined;
  return "the decision is too old, and its caller cannot check it";
}

/** Nothing was sent, and nothing has failed: the resource plans again at once. */
export function supersededError(call: ApiCall, because: string): ProviderError {
  return new ProviderError({
    kind: "Conflict",
    where: whereOf(call),
    seen: `not sent: ${because}`,
    remedy: "nothing; the operator plans again",
    outcome: "not-sent",
    retrySafe: false,
    reason: "Superseded",
  });
}

export function isSuperseded(error: unknown): error is ProviderError & { readonly reason: "Superseded" } {
  return isProviderError(error) && error.reason === "Superseded";
}

/** The caller gave up, or the decision no longer holds: it says nothing about the provider. */
export function isWithdrawn(error: ProviderError): boolean {
  return error.reason === "Cancelled" || error.reason === "Superseded";
}
