/** Whatever goes wrong with a request, as a ProviderError. What codes mean is told in api-errors.ts. */

import { APIConnectionError, APIError } from "cloudflare/error";
import { Answer, MalformedAnswer } from "../answer.js";
import { type ApiCall, whereOf } from "../call.js";
import { ProviderError, type ProviderErrorKind, type ProviderErrorProps, REMEDIES } from "../errors.js";
import { NOT_SENT } from "../network-errors.js";
import { type ApiErrors, meaningOfCodes, readApiErrors } from "./api-errors.js";
import { AnswerTooLong, FetchFailure } from "./fetch.js";
import { readRetryAfter } from "./rate-facts.js";

const QUOTED_CHARACTERS = 300;
const NETWORK_REMEDY = "check the network policy, the proxy variables and CLOUDFLARE_API_URL";
const URL_REMEDY = "check that CLOUDFLARE_API_URL leads to Cloudflare's API";

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
  return brokenError(call, wrapped instanceof FetchFailure ? wrapped.failure : wrapped);
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

/** There is no token to send. */
export function noTokenError(call: ApiCall): ProviderError {
  return new ProviderError({
    kind: "Unauthorized",
    where: whereOf(call),
    seen: "there is no token",
    remedy: "set CLOUDFLARE_TOKEN, or mount the file of CLOUDFLARE_TOKEN_FILE",
    outcome: "not-sent",
  });
}

type Meaning = Omit<ProviderErrorProps, "where" | "seen" | "status" | "requestId">;

function meaningOf(call: ApiCall, answer: RefusedAnswer, errors: ApiErrors | undefined, nowMs: number): Meaning {
  const { status, headers } = answer;
  const seconds = readRetryAfter(headers, nowMs);
  const asked = seconds === undefined ? {} : { retryAfterSeconds: seconds };
  // In front of the API there is Cloudflare's own edge: its refusals are pages.
  if (status === 429) return { ...meaning("RateLimited", "refused"), ...asked };
  // A gateway's 5xx may follow a request that was processed.
  if (status >= 500) return { ...meaning("Unavailable", "unknown"), ...asked, retrySafe: call.repeatable };
  // A proxy or a wrong URL also answers 404: only the API itself may say that something is gone.
  if (errors === undefined) return foreign(call);
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

function foreign({ repeatable }: ApiCall): Meaning {
  return {
    ...meaning("Unavailable", "unknown"),
    remedy: URL_REMEDY,
    retrySafe: repeatable,
    reason: "MalformedAnswer",
  };
}

/** A request without an answer, or with one that cannot be understood. */
function brokenError(call: ApiCall, error: unknown): ProviderError {
  const base = { where: whereOf(call), cause: error };
  if (error instanceof MalformedAnswer || error instanceof AnswerTooLong) {
    return new ProviderError({ ...base, ...foreign(call), seen: `malformed answer: ${error.message}` });
  }
  const code = codeOf(error);
  const known = NOT_SENT[code];
  if (known !== undefined) {
    return new ProviderError({ ...base, ...meaning("Unavailable", "not-sent"), seen: known, remedy: NETWORK_REMEDY });
  }
  const seen = `the connection broke${code === "" ? "" : ` (${code})`}`;
  return new ProviderError({ ...base, ...meaning("Unavailable", "unknown"), seen, retrySafe: call.repeatable });
}

function seenIn(status: number, errors: ApiErrors | undefined): string {
  if (errors === undefined) return `answer ${status} that is not the API's`;
  const oneLine = errors.text
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, QUOTED_CHARACTERS)
    .replace(/[.;]+$/, "");
  return `answer ${status}${errors.codes.length === 0 ? "" : ` (${errors.codes.join(", ")})`}: ${oneLine || "no message"}`;
}

/** The first code along the causes. */
function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error ? codeOf(error.cause) : "";
}
