/** How a call fails: by its deadline or by the network; and whether it is sent again. */

import type { Clock, Timer } from "../../clock.js";
import { CONNECT_TIMEOUT, PROXY_REFUSED } from "../../http/connector.js";
import { KUBE_RETRY_AFTER_MS, KUBE_RETRY_FIRST_MS, KUBE_RETRY_LONGEST_MS } from "../../timings.js";
import {
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnauthorized,
  type KubeMethod,
  StatusError,
} from "../client.js";

/** The call's own deadline has passed; whether the server acted on it is unknown. */
export class DeadlineError extends Error {
  /** Without the number of seconds: near the end of a lease it is another one each time, and the text goes to statuses. */
  constructor(where: string) {
    super(
      `${where}: no complete answer before its deadline; check the network, the server's load or raise the deadline`,
    );
    this.name = "DeadlineError";
  }
}

/** One signal for a deadline and a caller's signal that leaves neither timer nor listener behind once disposed. */
export class Deadline {
  private readonly controller = new AbortController();
  private readonly timer: Timer | undefined;
  private readonly endsAt: number;
  private readonly onAbort = () => this.controller.abort(this.parent?.reason);

  constructor(
    private readonly clock: Clock,
    seconds: number,
    private readonly where: string,
    private readonly parent?: AbortSignal,
  ) {
    this.endsAt = clock.monotonic() + seconds * 1000;
    if (parent?.aborted) {
      this.onAbort();
      return;
    }
    parent?.addEventListener("abort", this.onAbort, { once: true });
    this.timer = clock.setTimer(seconds * 1000, () => this.expire());
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get remainingMs(): number {
    return this.endsAt - this.clock.monotonic();
  }

  /** Throws once aborted or past the deadline, also where a stalled process has not run the timer yet. */
  check(): void {
    if (this.remainingMs <= 0) this.expire();
    this.signal.throwIfAborted();
  }

  /** The deadline no longer counts, the caller's signal still does. */
  lift(): void {
    this.timer?.cancel();
  }

  dispose(): void {
    this.timer?.cancel();
    this.parent?.removeEventListener("abort", this.onAbort);
  }

  private expire(): void {
    this.controller.abort(new DeadlineError(this.where));
  }
}

type NetworkErrorKind = "refused" | "reset" | "unreachable" | "dns" | "tls" | "timeout" | "other";

/** No answer from the API server, or a broken one. */
export class NetworkError extends Error {
  constructor(
    readonly kind: NetworkErrorKind,
    message: string,
    cause: unknown,
  ) {
    super(message, { cause });
    this.name = "NetworkError";
  }
}

interface Known {
  readonly kind: NetworkErrorKind;
  readonly hint: string;
}

const UP = "check that the API server is up and that this address is right";
const TRUST = "give its authority as certificate-authority(-data) of the cluster";

const KNOWN: Readonly<Record<string, Known>> = {
  ECONNREFUSED: { kind: "refused", hint: UP },
  ECONNRESET: { kind: "reset", hint: "the server or something in between closed the connection" },
  EPIPE: { kind: "reset", hint: "the server or something in between closed the connection" },
  ERR_STREAM_PREMATURE_CLOSE: { kind: "reset", hint: "the server or something in between closed the connection" },
  [PROXY_REFUSED]: { kind: "unreachable", hint: "check the proxy's rules, and NO_PROXY" },
  [CONNECT_TIMEOUT]: { kind: "timeout", hint: `${UP}, and that no firewall drops the packets` },
  ETIMEDOUT: { kind: "timeout", hint: `${UP}, and that no firewall drops the packets` },
  EHOSTUNREACH: { kind: "unreachable", hint: "check the route to it" },
  ENETUNREACH: { kind: "unreachable", hint: "check the route to it" },
  ENOTFOUND: { kind: "dns", hint: "the name does not resolve; check the server's name and the resolver" },
  EAI_AGAIN: { kind: "dns", hint: "the resolver does not answer" },
  SELF_SIGNED_CERT_IN_CHAIN: { kind: "tls", hint: TRUST },
  DEPTH_ZERO_SELF_SIGNED_CERT: { kind: "tls", hint: TRUST },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { kind: "tls", hint: TRUST },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: { kind: "tls", hint: TRUST },
  CERT_HAS_EXPIRED: { kind: "tls", hint: "renew the server's certificate" },
  CERT_NOT_YET_VALID: { kind: "tls", hint: "check the clocks" },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    kind: "tls",
    hint: "the certificate is for other names; correct the server's URL or set tls-server-name",
  },
};

/** @param where `GET https://host:6443/api/v1/nodes (context "x" of file)` */
export function toNetworkError(error: unknown, where: string): Error {
  if (error instanceof NetworkError || error instanceof DeadlineError) return error;
  const code = codeOf(error);
  const known = KNOWN[code] ?? {
    kind: code.startsWith("ERR_TLS") || code.startsWith("ERR_SSL") ? "tls" : "other",
    hint: "",
  };
  const seen = error instanceof Error && error.message !== "" ? error.message : code;
  return new NetworkError(
    known.kind,
    [`${where}: ${seen}`, known.hint].filter((part) => part !== "").join("; "),
    error,
  );
}

/** The first code along the causes: happy eyeballs wraps the system's error. */
function codeOf(error: unknown): string {
  const inner = error instanceof AggregateError ? error.errors[0] : undefined;
  const code = (error as { code?: unknown } | null | undefined)?.code;
  if (typeof code === "string" && (code in KNOWN || inner === undefined)) return code;
  if (inner !== undefined) return codeOf(inner);
  return error instanceof Error && error.cause !== undefined ? codeOf(error.cause) : "";
}

export interface FailedAttempt {
  readonly method: KubeMethod;
  readonly error: unknown;
  /** From 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Credentials have been read again during this call. */
  readonly renewed: boolean;
  /** In [0, 1). */
  readonly random: number;
}

type RetryDecision = { readonly kind: "give-up" } | { readonly kind: "retry" | "renew"; readonly delayMs: number };

const GIVE_UP: RetryDecision = { kind: "give-up" };

/**
 * - 401: once, with credentials read again; the server has not processed anything.
 * - 429: any method, since it was not processed; as long as the server says.
 * - 5xx and a broken connection: reads only, since a write may have been processed.
 */
export function retryDecision(failed: FailedAttempt): RetryDecision {
  if (isUnauthorized(failed.error)) return failed.renewed ? GIVE_UP : { kind: "renew", delayMs: 0 };
  if (failed.attempt >= failed.maxAttempts || !isRetriable(failed.method, failed.error)) return GIVE_UP;
  const asked = failed.error instanceof StatusError ? (failed.error.retryAfterSeconds ?? 0) * 1000 : 0;
  if (asked > KUBE_RETRY_AFTER_MS) return GIVE_UP;
  const backoff = Math.min(KUBE_RETRY_LONGEST_MS, KUBE_RETRY_FIRST_MS * 2 ** (failed.attempt - 1));
  // Jitter only ever adds: earlier than Retry-After would be refused again.
  return { kind: "retry", delayMs: Math.max(asked, backoff / 2) + failed.random * (backoff / 2) };
}

function isRetriable(method: KubeMethod, error: unknown): boolean {
  if (isTooManyRequests(error)) return true;
  // The server has already waited for that version; the caller must list again instead.
  if (method !== "GET" || isTooLargeResourceVersion(error)) return false;
  return error instanceof StatusError ? error.code >= 500 : isTransient(error);
}

function isTransient(error: unknown): boolean {
  return error instanceof NetworkError && error.kind !== "tls" && error.kind !== "other";
}
