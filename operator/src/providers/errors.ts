/** How calls to a cloud fail: one error class, whose kind decides what a caller does next; and whether a call is still wanted. */

import { anyAbort, askedWait } from "../async.js";
import { type ApiNames, failedCalls, failureText, type Remedy } from "../messages/failed-calls.js";
import { cutAtWord, oneLine } from "../printable.js";
import { ACCOUNT_RETRY_MS, MAX_DECISION_AGE_MS, SECOND_MS } from "../timings.js";
import { type ApiCall, callText } from "./call.js";
import { AnswerTooLong, MalformedAnswer } from "./http.js";

/**
 * - `NotFound`: the address, node, zone, record or firewall does not exist.
 * - `Conflict`: the world is not as the call supposed; read again, then plan again. `reason` says how.
 * - `RateLimited`: the API asks to wait, `retryAfterSeconds` at least.
 * - `Unavailable`: no answer, a broken one, or a failure of the API itself. It may heal by itself.
 * - `Unauthorized`: the token is missing, expired, or lacks a right. A person must act.
 * - `QuotaExceeded`: a limit of the account. A person must act.
 * - `Terminal`: the same call will never work. A person must act.
 */
export type ProviderErrorKind =
  | "NotFound"
  | "Conflict"
  | "RateLimited"
  | "Unavailable"
  | "Unauthorized"
  | "QuotaExceeded"
  | "Terminal";

/**
 * Whether the API may have acted on the call. `not-sent`: it never left. `refused`: the API said no. `unknown`: it
 * may have been processed (an answer was lost, or cannot be understood), so look before acting again.
 */
type CallOutcome = "not-sent" | "refused" | "unknown";

/** What exactly stands in the way, where the kind alone does not say it. */
export type ProviderErrorReason =
  /** The node runs another action of the provider; wait and look again. */
  | "NodeBusy"
  /** The address runs another action; wait and look again. */
  | "AddressBusy"
  /** The node already holds as many addresses of that family as it may. */
  | "NodeOccupied"
  /** The address is held elsewhere, and must be unassigned first. */
  | "HeldElsewhere"
  /** Address and node are in different regions. */
  | "WrongRegion"
  /** The node cannot hold an address (yet): new, off, or of a kind without public network. */
  | "NodeUnfit"
  /** A record of that name and value, or of a type that excludes it, exists. */
  | "RecordExists"
  /** Somebody else has changed the record set since it was read. */
  | "RecordsChanged"
  /** Several objects bear the name that was asked for. */
  | "Ambiguous"
  /** The circuit breaker is open: calls rest for a while after many failures. */
  | "CircuitOpen"
  /** The API has a limit for this kind of calls, and it is used up. Other calls may be sent. */
  | "GroupLimit"
  /** The deadline passed. */
  | "DeadlineExceeded"
  /** The lease was not sure to be held for longer: the write was ended before another process could write. */
  | "LeaseEnding"
  /** The caller gave up. */
  | "Cancelled"
  | "KindMissing" // The API server does not serve the kind of the objects.
  /** The facts behind the change no longer held when it could have been sent. */
  | "Superseded"
  /** The list has more items, pages or text than the operator keeps in memory. */
  | "ListTooLong"
  /** The answer was not what the API's description promises. */
  | "MalformedAnswer"
  /** The token is that of another account than the one before it, so nothing was sent. */
  | "OtherAccount"
  /** The API knows the token, and the token may not do this. */
  | "LacksRight"
  /** What stands where the token is expected cannot be one, so nothing was sent. */
  | "MalformedToken";

export interface ProviderErrorProps {
  readonly kind: ProviderErrorKind;
  /** The provider and the attempted call, for people: `digitalocean: assign 203.0.113.7 to droplet 12`. */
  readonly where: string;
  /** What was seen, without the API's request id. */
  readonly seen: string;
  /** What to do about it: a text is for a person. */
  readonly remedy: Remedy;
  readonly outcome: CallOutcome;
  /** Whether sending the same call once more can do no harm. @default true unless the outcome is unknown */
  readonly retrySafe?: boolean;
  readonly reason?: ProviderErrorReason;
  /** The remedy says where the operator reads the token. */
  readonly placed?: true;
  /** Seconds that the API asks to wait; the error has an hour at most. */
  readonly retryAfterSeconds?: number;
  /** HTTP status, where there was one. */
  readonly status?: number;
  /** The API's own id of the request. For logs only: it never gets into a message, a condition or an Event. */
  readonly requestId?: string;
  readonly cause?: unknown;
}

/** The only thing that a provider throws. The message says what was seen, where, and how to fix it. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly kind: ProviderErrorKind;
  readonly outcome: CallOutcome;
  readonly retrySafe: boolean;
  readonly where: string;
  readonly seen: string;
  readonly remedy: Remedy;
  readonly reason: ProviderErrorReason | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;

  constructor(readonly props: ProviderErrorProps) {
    super(`${props.where}: ${failureText(props)}`, { cause: props.cause });
    this.kind = props.kind;
    this.outcome = props.outcome;
    this.retrySafe = props.retrySafe ?? props.outcome !== "unknown";
    this.where = props.where;
    this.seen = props.seen;
    this.remedy = props.remedy;
    this.reason = props.reason;
    this.retryAfterSeconds = askedWait(props.retryAfterSeconds);
    this.status = props.status;
    this.requestId = props.requestId;
  }
}

/** A write that dry run kept back. Nothing was sent; it is no failure. */
export class DryRunError extends Error {
  override readonly name = "DryRunError";
}

export function isProviderError(error: unknown, kind?: ProviderErrorKind): error is ProviderError {
  return error instanceof ProviderError && (kind === undefined || error.kind === kind);
}

/** The same error, changed in parts. */
export function withProps(error: ProviderError, props: Partial<ProviderErrorProps>): ProviderError {
  return new ProviderError({ ...error.props, cause: error, ...props });
}

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
export function supersededError(call: Pick<ApiCall, "provider" | "subject">, because: string): ProviderError {
  return new ProviderError({
    kind: "Conflict",
    where: callText(call),
    ...failedCalls.superseded(because),
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

export type AccountError = ProviderError & { readonly kind: keyof typeof ACCOUNT_RETRY_MS };

/** Failures of the account or the API; the others are about one address, node or record set. */
export function isAccountError(error: unknown): error is AccountError {
  if (!isProviderError(error) || isWithdrawn(error) || error.reason === "GroupLimit") return false;
  return Object.hasOwn(ACCOUNT_RETRY_MS, error.kind);
}

/** The API answers, and fails. */
export function isAnswer5xx(error: unknown): error is ProviderError {
  return isProviderError(error, "Unavailable") && (error.status ?? 0) >= 500;
}

/** A request without an answer, or with one that cannot be understood. */
export function brokenError(call: ApiCall, error: unknown, names: ApiNames): ProviderError {
  const where = callText(call);
  if (error instanceof MalformedAnswer || error instanceof AnswerTooLong) {
    const seen = failedCalls.malformed(error.message);
    return new ProviderError({ ...foreignAnswer(call, names), where, seen, cause: error });
  }
  const code = codeOf(error);
  const unsent = failedCalls.notSent(code, names);
  const base = { kind: "Unavailable", where, cause: error } as const;
  if (unsent !== undefined) return new ProviderError({ ...base, ...unsent, outcome: "not-sent" });
  const maybe = { outcome: "unknown", retrySafe: call.repeatable } as const;
  return new ProviderError({ ...base, ...maybe, ...failedCalls.broken(code) });
}

/** An answer that is not the API's: a proxy's page, or a wrong URL. Only the API itself may say that something is gone. */
export function foreignAnswer(
  { repeatable }: Pick<ApiCall, "repeatable">,
  names: ApiNames,
): Pick<ProviderErrorProps, "kind" | "remedy" | "outcome" | "retrySafe" | "reason"> {
  return {
    kind: "Unavailable",
    remedy: failedCalls.foreignAnswer(names),
    outcome: "unknown",
    retrySafe: repeatable,
    reason: "MalformedAnswer",
  };
}

/** Longer ones do not fit in the header of a request. */
const LONGEST_TOKEN = 8_192;

/** @throws ProviderError if there is no token to send, or if it cannot be one: a whole file, or two lines */
export function checkToken(token: string, call: ApiCall, names: ApiNames): void {
  const wrong = tokenProblem(token, names);
  if (wrong !== undefined) {
    throw new ProviderError({ kind: "Unauthorized", where: callText(call), ...wrong, outcome: "not-sent" });
  }
}

function tokenProblem(
  token: string,
  names: ApiNames,
): Pick<ProviderErrorProps, "seen" | "remedy" | "reason"> | undefined {
  if (token === "") return failedCalls.noToken(names);
  const reason = "MalformedToken";
  if (token.length > LONGEST_TOKEN) return { reason, ...failedCalls.longToken(token.length, LONGEST_TOKEN) };
  return /[^\x21-\x7e]/.test(token) ? { reason, ...failedCalls.malformedToken } : undefined;
}

/**
 * Seconds in a `retry-after`, which says them or a date. `undefined`: neither.
 * @param nowMs wall clock
 */
export function readRetryAfter(value: string | null | undefined, nowMs: number): number | undefined {
  const said = value ?? "";
  if (/^\d+$/.test(said)) return Number(said);
  const date = Date.parse(said);
  return Number.isFinite(date) ? Math.max(0, (date - nowMs) / SECOND_MS) : undefined;
}

/** An API's message, fit for one line of a condition: no control characters, no full stop. Layer `withoutSecrets` makes it short. */
export function quoted(message: string): string {
  return oneLine(cutAtWord(message, MAX_MESSAGE_CHARACTERS)).replace(/[.;]+$/, "");
}

/** What the operator searches for secrets and for known words. */
const MAX_MESSAGE_CHARACTERS = 8192;

/** @param seen without secrets: the cut may leave a part of a word. */
export function shortened(seen: string): string {
  return seen.length <= SEEN_CHARACTERS ? seen : seen.slice(0, SEEN_CHARACTERS).replace(/[.;\s\p{Cs}]+$/u, "");
}

const SEEN_CHARACTERS = 320;

/** The first code along the causes. */
function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error ? codeOf(error.cause) : "";
}

/**
 * The promise, which others share; rejects earlier when this caller gives up. Leaves no listener behind.
 * @param where for the error: `cloudflare: find a zone`.
 */
export async function unlessAborted<T>(signal: AbortSignal | undefined, where: string, shared: Promise<T>): Promise<T> {
  if (signal === undefined) return shared;
  const abort = anyAbort([signal]);
  const givenUp = abort.aborted.then((): never => {
    throw givenUpError(signal, where);
  });
  try {
    return await Promise.race([shared, givenUp]);
  } finally {
    abort.dispose();
  }
}

function givenUpError(signal: AbortSignal, where: string): ProviderError {
  return new ProviderError({
    kind: "Unavailable",
    where,
    ...failedCalls.givenUp,
    outcome: "not-sent",
    reason: "Cancelled",
    cause: signal.reason,
  });
}
