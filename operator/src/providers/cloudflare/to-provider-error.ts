/**
 * Converts each failure of a request into a ProviderError: the errors in an answer's envelope, what Cloudflare's codes mean
 * (it publishes no list: see each one's source), and what the headers say of the rate limit and of waiting.
 */

import { PROVIDERS } from "cdk8s-flipop/api";
import { APIConnectionError, APIError } from "cloudflare/error";
import { REMEDIES } from "../../messages/failed-calls.js";
import { SECOND_MS } from "../../timings.js";
import { type ApiCall, callText, type RateFacts } from "../call.js";
import {
  brokenError,
  foreignAnswer,
  ProviderError,
  type ProviderErrorKind,
  type ProviderErrorProps,
  quoted,
  readRetryAfter,
} from "../errors.js";
import { Answer, type Connections } from "../http.js";

/** An answer that says no. */
interface RefusedAnswer {
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
    where: callText(call),
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
  return { ...refusalOf(status, errors), outcome: "refused", retrySafe: false };
}

function refusalOf(status: number, errors: ApiErrors): CodeMeaning {
  const known = meaningOfCodes(errors);
  if (known === RIGHTS) return status === FORBIDDEN ? RIGHTS : TOKEN;
  if (known !== undefined) return known;
  if (status === FORBIDDEN) return RIGHTS;
  // With a status of success, the API contradicts itself: what it refuses is not known to be wrong.
  const { kind, remedy } = meaning(KINDS[status] ?? (status < 400 ? "Unavailable" : "Terminal"), "refused");
  return kind === "Unauthorized" ? TOKEN : { kind, remedy };
}

const FORBIDDEN = 403;

const KINDS: Readonly<Record<number, ProviderErrorKind>> = {
  401: "Unauthorized",
  404: "NotFound",
  409: "Conflict",
};

const CLOUDFLARE_REMEDIES = {
  ...REMEDIES,
  RateLimited: REMEDIES.UserRateLimited,
  Terminal: "correct dnsRecordSet (zone, recordName, ttl)",
} as const;

function meaning(kind: ProviderErrorKind, outcome: Meaning["outcome"]): Meaning {
  return { kind, outcome, remedy: CLOUDFLARE_REMEDIES[kind] };
}

function seenIn(status: number, errors: ApiErrors | undefined): string {
  if (errors === undefined) return `answer ${status} that is not the API's`;
  const codes = errors.codes.length === 0 ? "" : ` (${errors.codes.join(", ")})`;
  return `answer ${status}${codes}: ${quoted(errors.text) || "no message"}`;
}

/** What an answer says went wrong. */
interface ApiErrors {
  /** Of all errors and of the chains under them. */
  readonly codes: readonly number[];
  /** The messages, the most precise last. */
  readonly text: string;
}

const MAX_CHAIN = 3;

/** `undefined`: the body is not the API's, such as a proxy's page. */
function readApiErrors(body: Answer): ApiErrors | undefined {
  try {
    body.at("success").boolean();
    const found = body
      .at("errors")
      .items()
      .flatMap((item) => readError(item, MAX_CHAIN));
    return { codes: found.map(({ code }) => code), text: found.map(({ message }) => message).join(": ") };
  } catch {
    return undefined;
  }
}

interface ApiError {
  readonly code: number;
  readonly message: string;
}

function readError(error: Answer, depth: number): readonly ApiError[] {
  const chain = error.at("error_chain");
  const below = chain.empty || depth === 0 ? [] : chain.items().flatMap((item) => readError(item, depth - 1));
  return [{ code: error.at("code").natural(), message: error.at("message").string() }, ...below];
}

type CodeMeaning = Pick<ProviderErrorProps, "kind" | "reason" | "remedy">;

const DNS_RIGHTS = "Zone:Read and DNS:Edit on this zone";
const TOKEN: CodeMeaning = {
  kind: "Unauthorized",
  remedy: `if you find no such mistake, have the owner of the DNS account create a new API token with the rights ${DNS_RIGHTS}`,
};
/** Its code also stands for credentials that are no token. */
const RIGHTS: CodeMeaning = {
  kind: "Unauthorized",
  reason: "LacksRight",
  remedy: `have the owner of the DNS account give the token the rights ${DNS_RIGHTS}`,
};
const ZONE: CodeMeaning = {
  kind: "NotFound",
  remedy:
    "correct dnsRecordSet.zone: write the domain, or the id of the zone (the id of an account looks alike); if that is right, have the cluster's administrator check that CLOUDFLARE_API_URL is not set or ends with /client/v4",
};
const EXISTS: CodeMeaning = { kind: "Conflict", reason: "RecordExists", remedy: REMEDIES.RecordsChanged };
const EXCLUDED: CodeMeaning = {
  kind: "Conflict",
  reason: "RecordExists",
  remedy: REMEDIES.RecordExists,
};

const MEANINGS: Readonly<Record<number, CodeMeaning>> = {
  // Malformed, missing or unknown credentials.
  6003: TOKEN,
  6111: TOKEN,
  9106: TOKEN,
  9109: TOKEN,
  // No right on the zone.
  10000: RIGHTS,
  // The zone's id, or the path of the base URL.
  1001: ZONE,
  1003: ZONE,
  7000: ZONE,
  7003: ZONE,
  // A record that is not valid; a code below it in the chain may say why.
  1004: { kind: "Terminal", remedy: CLOUDFLARE_REMEDIES.Terminal },
  81044: { kind: "Conflict", reason: "RecordsChanged", remedy: REMEDIES.RecordsChanged },
  81045: { kind: "QuotaExceeded", remedy: "delete records of the zone that are not used, or choose a larger plan" },
  81053: EXCLUDED,
  81054: EXCLUDED,
  81056: EXCLUDED,
  81057: EXISTS,
  81058: EXISTS,
  9021: { kind: "Terminal", remedy: "set dnsRecordSet.ttl to 1 (automatic) or to 60 to 86400 seconds" },
};

/** The meaning of the most precise code that is known. */
function meaningOfCodes({ codes }: ApiErrors): CodeMeaning | undefined {
  return codes
    .map((code) => MEANINGS[code])
    .filter((meaning) => meaning !== undefined)
    .at(-1);
}

/**
 * `ratelimit: "default";r=50;t=30` (left, seconds to the next window) and `ratelimit-policy: "default";q=1200;w=300`
 * (quota, window), each a list; of several limits the one with the least left. Cloudflare's changelog, 2025-09-03.
 * @param nowMs wall clock.
 */
export function readRateFacts(headers: Headers, nowMs: number): RateFacts | undefined {
  const policies = parseList(headers.get("ratelimit-policy"));
  const facts = parseList(headers.get("ratelimit")).flatMap(({ name, numbers }): RateFacts[] => {
    const limit = policies.find((policy) => policy.name === name)?.numbers.get("q");
    const remaining = numbers.get("r");
    const seconds = numbers.get("t");
    if (limit === undefined || remaining === undefined) return [];
    return [{ limit, remaining, ...(seconds === undefined ? {} : { resetAt: nowMs + seconds * SECOND_MS }) }];
  });
  return facts.sort((a, b) => a.remaining - b.remaining)[0];
}

/** `retry-after` in seconds or as a date; else, when nothing is left, the time to the next window. */
function readWait(headers: Headers, nowMs: number): number | undefined {
  const said = readRetryAfter(headers.get("retry-after"), nowMs);
  if (said !== undefined) return said;
  const facts = readRateFacts(headers, nowMs);
  if (facts?.remaining !== 0 || facts.resetAt === undefined) return undefined;
  return (facts.resetAt - nowMs) / SECOND_MS;
}

interface Item {
  readonly name: string;
  readonly numbers: ReadonlyMap<string, number>;
}

/** Items that are not understood are left out. */
function parseList(value: string | null): readonly Item[] {
  return (value ?? "").split(",").flatMap((item): Item[] => {
    const [name, ...parameters] = item.split(";").map((part) => part.trim());
    if (name === undefined || name === "") return [];
    const numbers = parameters.flatMap((parameter): [string, number][] => {
      const found = /^([a-z]+)=(\d+)$/.exec(parameter);
      return found?.[1] === undefined ? [] : [[found[1], Number(found[2])]];
    });
    return [{ name, numbers: new Map(numbers) }];
  });
}

/** What the API needs. The package would also tell it the machine's system, and whatever one more variable says. */
const SENT_HEADERS = ["authorization", "accept", "content-type", "user-agent", "api-version"];
const NO_BODY = 204;

/** What broke a request. Neither message nor `cause` has it: the package drops errors that look like a time-out. */
class FetchFailure extends Error {
  override readonly name = "FetchFailure";

  constructor(readonly failure: unknown) {
    super("the request failed");
  }
}

/** Rejects with FetchFailure. The body is there whole, so that nothing waits for it without a deadline. */
export function fetchOver(connections: Connections): typeof fetch {
  return async (input, init = {}) => {
    try {
      const { status, text, headers } = await connections.send({
        url: String(input instanceof Request ? input.url : input),
        method: init.method ?? "GET",
        headers: sentHeaders(new Headers(init.headers)),
        ...(typeof init.body === "string" ? { body: init.body } : {}),
        ...(init.signal ? { signal: init.signal } : {}),
      });
      return new Response(status === NO_BODY ? null : text, { status, headers: [...headers] });
    } catch (error) {
      throw new FetchFailure(error);
    }
  };
}

function sentHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => SENT_HEADERS.includes(name)));
}
