/** Converts each failure of a request into a ProviderError. api-errors.ts explains the codes. */

import { PROVIDERS } from "cdk8s-flipop/api";
import { APIConnectionError, APIError } from "cloudflare/error";
import { Answer } from "../answer.js";
import { type ApiCall, whereOf } from "../call.js";
import { ProviderError, type ProviderErrorKind, type ProviderErrorProps, REMEDIES } from "../errors.js";
import { brokenError, foreignAnswer, quoted } from "../network-errors.js";
import { type ApiErrors, meaningOfCodes, readApiErrors } from "./api-errors.js";
import { FetchFailure } from "./fetch.js";
import { readWait } from "./rate-facts.js";

/** An answer that says no. */
export interface RefusedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Answer;
}

/**
 * Whatever the package, or reading its answer, threw.
 * @param nowMs wall clock, for a Retry-After that is a date.
 */
export function toProviderError(call: ApiCall, error: unknown, nowMs: number): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof APIError && error.status !== undefined && error.headers !== undefined) {
    const { status, headers } = error;
    return refusedError(call, { status, headers, body: Answer.of(error.error) }, nowMs);
  }
  const wrapped = error instanceof APIConnectionError ? error.cause : error;
  return brokenError(call, wrapped instanceof FetchFailure ? wrapped.failure : wrapped, PROVIDERS.cloudflare);
}

export function refusedError(call: ApiCall, answer: RefusedAnswer, nowMs: number): ProviderError {
  const errors = readApiErrors(answer.body);
  const requestId = answer.headers.get("cf-ray");
  const props = {
    where: whereOf(call),
    status: answer.status,
    seen: seenIn(answer.status, errors),
    ...(requestId === null ? {} : { requestId }),
  };
  return new ProviderError({ ...props, ...meaningOf(call, answer, errors, nowMs) });
}

type Meaning = Omit<ProviderErrorProps, "where" | "seen" | "status" | "requestId">;

function meaningOf(call: ApiCall, answer: RefusedAnswer, errors: ApiErrors | undefined, nowMs: number): Meaning {
  const { status, headers } = answer;
  const seconds = readWait(headers, nowMs);
  const asked = seconds === undefined ? {} : { retryAfterSeconds: seconds };
  // In front of the API there is Cloudflare's own edge: its refusals are pages.
  if (status === 429) return { ...meaning("RateLimited", "refused"), ...asked };
  // A gateway's 5xx may follow a request that was processed.
  if (status >= 500) return { ...meaning("Unavailable", "unknown"), ...asked, retrySafe: call.repeatable };
  // A proxy or a wrong URL also answers 404: only the API itself may say that something is gone.
  if (errors === undefined) return foreignAnswer(call, PROVIDERS.cloudflare);
  const known = meaningOfCodes(errors) ?? { kind: KINDS[status] ?? "Terminal" };
  return { ...meaning(known.kind, "refused"), ...known, retrySafe: false };
}

const KINDS: Readonly<Record<number, ProviderErrorKind>> = {
  401: "Unauthorized",
  403: "Unauthorized",
  404: "NotFound",
  409: "Conflict",
};

function meaning(kind: ProviderErrorKind, outcome: Meaning["outcome"]): Meaning {
  const remedy = kind === "Terminal" ? "correct dnsRecordSet (zone, recordName, ttl)" : REMEDIES[kind];
  return { kind, outcome, remedy };
}

function seenIn(status: number, errors: ApiErrors | undefined): string {
  if (errors === undefined) return `answer ${status} that is not the API's`;
  const codes = errors.codes.length === 0 ? "" : ` (${errors.codes.join(", ")})`;
  return `answer ${status}${codes}: ${quoted(errors.text) || "no message"}`;
}
