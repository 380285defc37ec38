/** The seam between everything that talks to the Kubernetes API and the transport that carries it: requests, streams, and the errors of the server. */

import { askedWait } from "../async.js";

export type KubeMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Reads the protobuf answers of one kind. */
export interface BodyDecoder {
  list(bytes: Buffer): unknown;
  /** @param frame one event of a watch. */
  event(frame: Buffer): { readonly type: string; readonly object: unknown };
}

export interface KubeRequest {
  readonly method: KubeMethod;
  /** Absolute path on the API server, for example `/api/v1/nodes`. */
  readonly path: string;
  /** Query parameters; `undefined` leaves one out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** @default application/json; for PATCH application/merge-patch+json */
  readonly contentType?: string;
  /**
   * The whole call, all attempts and waits included. For `open` it bounds the time to the response's headers only.
   * @default 30
   */
  readonly deadlineSeconds?: number;
  /**
   * Sends of this call altogether, where a retry is safe. `open` always sends once.
   * @default 5
   */
  readonly maxAttempts?: number;
  readonly signal?: AbortSignal;
  /** Asks for the metadata alone. A server that cannot do that sends the whole object. @default false */
  readonly metadataOnly?: boolean;
  /** Asks for protobuf, and reads it where the answer is a list. The server may answer in JSON all the same. @default JSON */
  readonly decoder?: BodyDecoder;
}

export interface KubeClient {
  /** One call, answered in full. Rejects with StatusError, or with the network's own error. */
  request<T>(request: KubeRequest): Promise<T>;
  /** A streaming answer (watch). Resolves once a 200 has arrived; rejects as `request` does. */
  open(request: KubeRequest): Promise<KubeStream>;
}

/** The raw bytes of a streaming answer. Iteration ends on FIN and throws on RST or on the request's signal. */
export interface KubeStream extends AsyncIterable<Buffer> {
  /** Of the answer. @default JSON */
  readonly contentType?: string;
  /** Ends the stream and destroys its socket; safe to call twice. */
  close(): void;
}

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface StatusErrorProps {
  /** HTTP status code. */
  readonly code: number;
  /** `NotFound`, `Conflict`, ...; empty when the server gave none. */
  readonly reason: string;
  readonly message: string;
  readonly details?: StatusDetails;
  /** From the `Retry-After` header, else from the details. */
  readonly retryAfterSeconds?: number;
}

export class StatusError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails;
  readonly retryAfterSeconds: number | undefined;

  constructor(props: StatusErrorProps) {
    super(props.message);
    this.name = "StatusError";
    this.code = props.code;
    this.reason = props.reason;
    this.details = props.details ?? {};
    this.retryAfterSeconds = askedWait(props.retryAfterSeconds ?? this.details.retryAfterSeconds);
  }
}

export function isNotFound(error: unknown): error is StatusError {
  return error instanceof StatusError && error.code === 404;
}

/** 409 of any reason: a stale resourceVersion or an object that exists already. */
export function isConflict(error: unknown): error is StatusError {
  return error instanceof StatusError && error.code === 409;
}

/** What other field managers own of the fields that an apply without force sets; empty: the 409 has another reason. */
export function fieldConflicts(error: unknown): readonly StatusCause[] {
  if (!isConflict(error)) return [];
  return (error.details.causes ?? []).filter(({ reason }) => reason === "FieldManagerConflict");
}

/** 410: the resourceVersion or continue token has been compacted away. */
function isGone(error: unknown): error is StatusError {
  return error instanceof StatusError && error.code === 410;
}

/** As client-go's `IsResourceExpired` or `IsGone`: either says that the resourceVersion is of no use any more. */
export function isExpired(error: unknown): error is StatusError {
  return isGone(error) || (error instanceof StatusError && (error.reason === "Expired" || error.reason === "Gone"));
}

export function isUnauthorized(error: unknown): error is StatusError {
  return error instanceof StatusError && error.code === 401;
}

export function isForbidden(error: unknown): error is StatusError {
  return error instanceof StatusError && error.code === 403;
}

/** 422: the object or patch was understood and refused; also a failed JSON-patch `test`. */
export function isInvalid(error: unknown): error is StatusError {
  return error instanceof StatusError && error.code === 422;
}

/** The namespace's Pod Security level does not allow the pod. The server answers 403 for missing rights and quotas, too. */
export function isPodSecurityRefusal(error: unknown): error is StatusError {
  return error instanceof StatusError && error.code === 403 && error.message.includes("violates PodSecurity");
}

export function isTooManyRequests(error: unknown): error is StatusError {
  return error instanceof StatusError && error.code === 429;
}

/** The storage of a fresh CRD takes about a second to be ready; until then the server answers 429 with Retry-After 1. */
export function isInitializing(error: unknown): error is StatusError {
  return isTooManyRequests(error) && error.message.includes("storage is (re)initializing");
}

const TOO_LARGE_CAUSE = "ResourceVersionTooLarge";
const TOO_LARGE_MESSAGE = "Too large resource version";

/**
 * The server has not seen our resourceVersion yet: an etcd restore, or a stale API server behind a load balancer.
 * The message is what servers before 1.19 give instead of the cause.
 */
export function isTooLargeResourceVersion(error: unknown): error is StatusError {
  if (!(error instanceof StatusError)) return false;
  const causes = error.details.causes ?? [];
  return (
    causes.some((cause) => cause.reason === TOO_LARGE_CAUSE || (cause.message ?? "").includes(TOO_LARGE_MESSAGE)) ||
    error.message.includes(TOO_LARGE_MESSAGE)
  );
}
