/** Converts each failure of a request into a ProviderError. unprocessable.ts explains 422. */

import { PROVIDERS } from "cdk8s-flipop/api";
import { REMEDIES, TOKEN_RIGHTS } from "../../messages/failed-calls.js";
import { SECOND_MS } from "../../timings.js";
import { type ApiCall, callText } from "../call.js";
import {
  foreignAnswer,
  ProviderError,
  type ProviderErrorKind,
  type ProviderErrorProps,
  quoted,
  readRetryAfter,
} from "../errors.js";
import { Answer, type RawAnswer } from "../http.js";

/** An answer that is no success. @param nowMs wall clock, for a Retry-After that is a date */
export function refusedError(call: ApiCall, answer: RawAnswer, nowMs: number): ProviderError {
  const said = readError(answer);
  const base = { where: callText(call), status: answer.status, seen: seenIn(answer, said?.message) };
  const requestId = said?.requestId ?? answer.headers.get("x-request-id");
  const props = { ...base, ...(requestId === undefined ? {} : { requestId }) };
  // A proxy or a wrong URL also answers 404: only the API itself may say that something is gone.
  const foreign = said === undefined && answer.status < 500 && answer.status !== 429;
  return new ProviderError({ ...props, ...(foreign ? foreignRefusal(call, answer) : meaningOf(call, answer, nowMs)) });
}

/** Whoever answers 4xx has not let the request through, except for a proxy that gave up waiting. */
function foreignRefusal(call: ApiCall, { status }: RawAnswer): Meaning {
  const meaning = foreignAnswer(call, PROVIDERS.digitalocean);
  const refused = status >= 400 && status !== REQUEST_TIMEOUT;
  return refused ? { ...meaning, outcome: "refused" } : meaning;
}

const REQUEST_TIMEOUT = 408;

type Meaning = Pick<ProviderErrorProps, "kind" | "reason" | "remedy" | "outcome" | "retrySafe" | "retryAfterSeconds">;

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
  if (status === 403) return { ...LACKS_RIGHT, outcome: "refused" };
  const kind = KINDS[status] ?? "Terminal";
  return { kind, remedy: REMEDIES[kind], outcome: "refused" };
}

const LACKS_RIGHT = {
  kind: "Unauthorized",
  reason: "LacksRight",
  remedy: `have the owner of the account give the token the rights that ${TOKEN_RIGHTS} lists`,
} as const;

const KINDS: Readonly<Record<number, ProviderErrorKind>> = {
  401: "Unauthorized",
  404: "NotFound",
  409: "Conflict",
  412: "Conflict",
};

/** `retry-after` in seconds or as a date; without it, the time at which the oldest call of the window expires. */
function retryAfter(answer: RawAnswer, nowMs: number): number | undefined {
  const { headers } = answer;
  const said = readRetryAfter(headers.get("retry-after"), nowMs);
  if (said !== undefined) return said;
  const reset = Number(headers.get("ratelimit-reset") ?? Number.NaN);
  if (headers.get("ratelimit-remaining") !== "0" || !Number.isFinite(reset)) return undefined;
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
  return `answer ${status}: ${quoted(message)}`;
}
