/** Whatever goes wrong with a request, as a ProviderError. What 422 means is told in unprocessable.ts. */

import { Answer, MalformedAnswer } from "../answer.js";
import { type ApiCall, whereOf } from "../call.js";
import { ProviderError, type ProviderErrorKind, type ProviderErrorProps, REMEDIES } from "../errors.js";
import { NOT_SENT } from "../network-errors.js";
import { AnswerTooLong, type RawAnswer } from "./http.js";

const SECOND_MS = 1000;
const QUOTED_CHARACTERS = 300;

const NETWORK_REMEDY = "check the network policy, the proxy variables and DIGITALOCEAN_API_URL";
const URL_REMEDY = "check that DIGITALOCEAN_API_URL leads to DigitalOcean's API";

/** An answer that is no success. @param nowMs wall clock, for a Retry-After that is a date */
export function refusedError(call: ApiCall, answer: RawAnswer, nowMs: number): ProviderError {
  const said = readError(answer);
  const base = { where: whereOf(call), status: answer.status, seen: seenIn(answer, said?.message) };
  const requestId = said?.requestId ?? answer.header("x-request-id");
  const props = { ...base, ...(requestId === undefined ? {} : { requestId }) };
  // A proxy or a wrong URL also answers 404: only the API itself may say that something is gone.
  if (said === undefined && answer.status < 500 && answer.status !== 429) return foreignAnswer(call, props);
  return new ProviderError({ ...props, ...meaningOf(call, answer, nowMs) });
}

/** A request without an answer, or with one that cannot be understood. */
export function brokenError(call: ApiCall, error: unknown): ProviderError {
  const base = { kind: "Unavailable", where: whereOf(call), cause: error } as const;
  const maybe = { outcome: "unknown", retrySafe: call.repeatable } as const;
  if (error instanceof MalformedAnswer || error instanceof AnswerTooLong) {
    const seen = `malformed answer: ${error.message}`;
    return new ProviderError({ ...base, ...maybe, seen, remedy: URL_REMEDY, reason: "MalformedAnswer" });
  }
  const code = codeOf(error);
  const known = NOT_SENT[code];
  if (known !== undefined) {
    return new ProviderError({ ...base, outcome: "not-sent", seen: known, remedy: NETWORK_REMEDY });
  }
  const seen = `the connection broke${code === "" ? "" : ` (${code})`}`;
  return new ProviderError({ ...base, ...maybe, seen, remedy: REMEDIES.Unavailable });
}

/** There is no token to send. */
export function noTokenError(call: ApiCall): ProviderError {
  return new ProviderError({
    kind: "Unauthorized",
    where: whereOf(call),
    seen: "there is no token",
    remedy: "set DIGITALOCEAN_ACCESS_TOKEN, or mount the file of DIGITALOCEAN_ACCESS_TOKEN_FILE",
    outcome: "not-sent",
  });
}

type Meaning = Pick<ProviderErrorProps, "kind" | "remedy" | "outcome" | "retrySafe" | "retryAfterSeconds">;

function meaningOf(call: ApiCall, answer: RawAnswer, nowMs: number): Meaning {
  const { status } = answer;
  if (status === 429) {
    const seconds = retryAfter(answer, nowMs);
    const asked = seconds === undefined ? {} : { retryAfterSeconds: seconds };
    return { kind: "RateLimited", remedy: REMEDIES.RateLimited, outcome: "refused", ...asked };
  }
  // A gateway's 5xx may follow a request that was processed: re-sent creations leak addresses.
  if (status >= 500) {
    const retrySafe = call.repeatable;
    return { kind: "Unavailable", remedy: REMEDIES.Unavailable, outcome: "unknown", retrySafe };
  }
  const kind = KINDS[status] ?? "Terminal";
  const remedy = status === 403 ? SCOPE_REMEDY : REMEDIES[kind];
  return { kind, remedy, outcome: "refused" };
}

const SCOPE_REMEDY = "give the token the scopes that the documentation lists (reserved_ip, droplet, domain, firewall)";

const KINDS: Readonly<Record<number, ProviderErrorKind>> = {
  401: "Unauthorized",
  403: "Unauthorized",
  404: "NotFound",
  409: "Conflict",
  412: "Conflict",
};

function foreignAnswer(call: ApiCall, props: Pick<ProviderErrorProps, "where" | "status" | "seen">): ProviderError {
  return new ProviderError({
    ...props,
    kind: "Unavailable",
    remedy: URL_REMEDY,
    outcome: "unknown",
    retrySafe: call.repeatable,
    reason: "MalformedAnswer",
  });
}

/** `retry-after` in seconds or as a date; without it, the time at which the oldest call of the window expires. */
function retryAfter(answer: RawAnswer, nowMs: number): number | undefined {
  const said = answer.header("retry-after") ?? "";
  if (/^\d+$/.test(said)) return Number(said);
  const date = Date.parse(said);
  if (Number.isFinite(date)) return Math.max(0, (date - nowMs) / SECOND_MS);
  const reset = Number(answer.header("ratelimit-reset") ?? Number.NaN);
  if (answer.header("ratelimit-remaining") !== "0" || !Number.isFinite(reset)) return undefined;
  return Math.max(0, reset - nowMs / SECOND_MS);
}

/** `{id, message, request_id?}`; `undefined` for anything else, such as a proxy's page. */
function readError({ text }: RawAnswer): { readonly message: string; readonly requestId?: string } | undefined {
  try {
    const answer = Answer.parse(text);
    answer.at("id").string();
    const message = answer.at("message").string();
    const requestId = answer.at("request_id");
    return requestId.empty ? { message } : { message, requestId: requestId.string() };
  } catch {
    return undefined;
  }
}

function seenIn({ status }: RawAnswer, message: string | undefined): string {
  if (message === undefined) return `answer ${status} that is not the API's`;
  const oneLine = message.replace(/\s+/g, " ").trim().slice(0, QUOTED_CHARACTERS);
  return `answer ${status}: ${oneLine.replace(/[.;]+$/, "")}`;
}

/** The first code along the causes. */
function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error ? codeOf(error.cause) : "";
}
