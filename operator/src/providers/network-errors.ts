/** Calls without an answer, or with an unreadable one: the same for every API over HTTP. */

import type { ProviderFacts } from "cdk8s-flipop/api";
import { SECOND_MS } from "../bounds.js";
import { MalformedAnswer } from "./answer.js";
import { type ApiCall, whereOf } from "./call.js";
import { AnswerTooLong } from "./connections.js";
import { ProviderError, type ProviderErrorProps, REMEDIES } from "./errors.js";

/** Words and variables of an API, for remedies. */
export type ApiNames = Pick<ProviderFacts, "title" | "tokenVariable" | "urlVariable">;

/** A request without an answer, or with one that cannot be understood. */
export function brokenError(call: ApiCall, error: unknown, names: ApiNames): ProviderError {
  const where = whereOf(call);
  if (error instanceof MalformedAnswer || error instanceof AnswerTooLong) {
    const seen = `malformed answer: ${error.message}`;
    return new ProviderError({ ...foreignAnswer(call, names), where, seen, cause: error });
  }
  const code = codeOf(error);
  const unsent = NOT_SENT[code];
  const base = { kind: "Unavailable", where, cause: error } as const;
  if (unsent !== undefined) {
    const remedy = `check the network policy, the proxy variables and ${names.urlVariable}`;
    return new ProviderError({ ...base, outcome: "not-sent", seen: unsent, remedy });
  }
  const seen = `the connection broke${code === "" ? "" : ` (${code})`}`;
  const maybe = { outcome: "unknown", retrySafe: call.repeatable } as const;
  return new ProviderError({ ...base, ...maybe, seen, remedy: REMEDIES.Unavailable });
}

/** An answer that is not the API's: a proxy's page, or a wrong URL. Only the API itself may say that something is gone. */
export function foreignAnswer(
  { repeatable }: Pick<ApiCall, "repeatable">,
  { title, urlVariable }: ApiNames,
): Pick<ProviderErrorProps, "kind" | "remedy" | "outcome" | "retrySafe" | "reason"> {
  return {
    kind: "Unavailable",
    remedy: `check that ${urlVariable} leads to ${title}'s API`,
    outcome: "unknown",
    retrySafe: repeatable,
    reason: "MalformedAnswer",
  };
}

/** There is no token to send. */
export function noTokenError(call: ApiCall, { tokenVariable }: ApiNames): ProviderError {
  return new ProviderError({
    kind: "Unauthorized",
    where: whereOf(call),
    seen: "there is no token",
    remedy: `set ${tokenVariable}, or mount the file of ${tokenVariable}_FILE`,
    outcome: "not-sent",
  });
}

/**
 * Seconds in a `retry-after`, which says them or a date. `undefined`: neither.
 * @param nowMs wall clock
 */
export function readRetryAfter(value: string | null, nowMs: number): number | undefined {
  const said = value ?? "";
  if (/^\d+$/.test(said)) return Number(said);
  const date = Date.parse(said);
  return Number.isFinite(date) ? Math.max(0, (date - nowMs) / SECOND_MS) : undefined;
}

/** An API's message, fit for one line of a condition: no line breaks, no full stop, cut at 300 characters. */
export function quoted(message: string): string {
  const oneLine = message.replace(/\s+/g, " ").trim().slice(0, QUOTED_CHARACTERS);
  return oneLine.replace(/[.;]+$/, "");
}

const QUOTED_CHARACTERS = 300;

/** Node's codes of errors that mean that nothing was sent. */
const NOT_SENT: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "the API's name does not resolve",
  EAI_AGAIN: "the resolver does not answer",
  EHOSTUNREACH: "there is no route to the API",
  ENETUNREACH: "there is no route to the API",
  UND_ERR_CONNECT_TIMEOUT: "no connection within 10 s",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the API's certificate is not trusted",
  SELF_SIGNED_CERT_IN_CHAIN: "the API's certificate is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the API's certificate is not trusted",
  CERT_HAS_EXPIRED: "the API's certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "the API's certificate is for another name",
};

/** The first code along the causes. */
function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error ? codeOf(error.cause) : "";
}
