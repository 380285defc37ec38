/** How calls to a cloud fail: one error class, whose kind decides what a caller does next. */

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
export type CallOutcome = "not-sent" | "refused" | "unknown";

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
  /** Several objects bear the name that was asked for. */
  | "Ambiguous"
  /** The circuit breaker is open: calls rest for a while after many failures. */
  | "CircuitOpen"
  /** The deadline passed. */
  | "DeadlineExceeded"
  /** The lease was not sure to be held for longer: the write was ended before another process could write. */
  | "LeaseEnding"
  /** The caller gave up. */
  | "Cancelled"
  /** The facts behind the change no longer held when it could have been sent. */
  | "Superseded"
  /** The answer was not what the API's description promises. */
  | "MalformedAnswer";

export interface ProviderErrorProps {
  readonly kind: ProviderErrorKind;
  /** The provider and the attempted call, for people: `digitalocean: assign 203.0.113.7 to droplet 12`. */
  readonly where: string;
  /** What was seen, without the API's request id. */
  readonly seen: string;
  /** What to do about it. */
  readonly remedy: string;
  readonly outcome: CallOutcome;
  /** Whether sending the same call once more can do no harm. @default true unless the outcome is unknown */
  readonly retrySafe?: boolean;
  readonly reason?: ProviderErrorReason;
  /** Seconds that the API asks to wait. */
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
  readonly remedy: string;
  readonly reason: ProviderErrorReason | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;

  constructor(readonly props: ProviderErrorProps) {
    super(`${props.where}: ${props.seen}; ${props.remedy}`, { cause: props.cause });
    this.kind = props.kind;
    this.outcome = props.outcome;
    this.retrySafe = props.retrySafe ?? props.outcome !== "unknown";
    this.where = props.where;
    this.seen = props.seen;
    this.remedy = props.remedy;
    this.reason = props.reason;
    this.retryAfterSeconds = props.retryAfterSeconds;
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

/** What to do where nothing more is known than the kind. */
export const REMEDIES: Readonly<Record<ProviderErrorKind, string>> = {
  NotFound: "check that it exists in the account that the token belongs to",
  Conflict: "it is read again, and the plan is made anew",
  RateLimited: "calls wait; lower the number of installs that share the account if this lasts",
  Unavailable: "it is tried again; look at the provider's status page if this lasts",
  Unauthorized: "give a valid token with the rights that the documentation lists",
  QuotaExceeded: "ask the provider to raise the account's limit, or release what is not used",
  Terminal: "correct the resource",
};
