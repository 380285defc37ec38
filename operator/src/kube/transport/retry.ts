/** Pure: whether and when a failed call is sent again. */
import { KUBE_RETRY_AFTER_MS, KUBE_RETRY_FIRST_MS, KUBE_RETRY_LONGEST_MS } from "../../bounds.js";
import type { KubeMethod } from "../client.js";
import { isTooLargeResourceVersion, isTooManyRequests, isUnauthorized, StatusError } from "../status-error.js";
import { NetworkError } from "./network-error.js";

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

export type RetryDecision =
  | { readonly kind: "give-up" }
  | { readonly kind: "retry" | "renew"; readonly delayMs: number };

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
