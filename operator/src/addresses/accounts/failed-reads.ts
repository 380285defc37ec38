/** What a failed call says: of the account, or of the one address that it was about. */

import type { Clock } from "../../clock.js";
import type { InventoryAddress, InventoryView } from "../../inventory/view.js";
import { type AccountError, type ProviderError, withProps } from "../../providers/errors.js";
import { afterFailure, type RetryState } from "../../reconcile/retries.js";
import { ACCOUNT_AWAITED_MS, ACCOUNT_FIRST_READ_MS, ACCOUNT_RETRY_MS, SECOND_MS } from "../../timings.js";

/** `address`: a read of one. `change`: a write, also of one. */
export interface FailedCall {
  readonly of: "list" | "address" | "change";
  readonly ip?: string;
}

/** For all who use the account: one address may be another namespace's. */
export function withoutAddress(error: AccountError, provider: string): ProviderError {
  // The circuit breaker's error names no address, but what failed.
  if (error.reason === "CircuitOpen") return error;
  return withProps(error, { where: `${provider}: read or change an address` });
}

/**
 * The first of its kind is reported: it says more than the circuit breaker's, and the text stays the same.
 * @param sameToken the known failure is of the token in use
 */
export function isNewKind(known: ProviderError | undefined, { kind }: AccountError, sameToken: boolean): boolean {
  return known?.kind !== kind || !sameToken;
}

/** Never earlier than the API asks. */
export function maxWaitMs(
  { kind, retryAfterSeconds = 0 }: Pick<ProviderError, "retryAfterSeconds"> & Pick<AccountError, "kind">,
  read: boolean,
): number {
  return Math.max(read ? ACCOUNT_RETRY_MS[kind] : ACCOUNT_FIRST_READ_MS, retryAfterSeconds * SECOND_MS);
}

/** A person must act, or the next try is long after the first failure. @param since ms since the epoch */
export function isLong({ kind }: ProviderError, since: number, retry: RetryState | undefined): boolean {
  return kind === "Unauthorized" || (retry !== undefined && retry.retryAt - since > ACCOUNT_AWAITED_MS);
}

interface FailedRead {
  readonly error: ProviderError;
  readonly retry: RetryState;
  /** Monotonic ms. */
  readonly at: number;
}

/** Addresses whose last read failed with an answer of the API, until they are read. */
export class FailedReads {
  private readonly all = new Map<string, FailedRead>();

  constructor(private readonly clock: Pick<Clock, "now" | "monotonic">) {}

  note(ip: string, error: ProviderError): void {
    const retry = afterFailure(this.all.get(ip)?.retry, error, this.clock.now());
    this.all.set(ip, { error, retry, at: this.clock.monotonic() });
  }

  delete(ip: string): void {
    this.all.delete(ip);
  }

  get(ip: string, view: InventoryView | undefined): FailedRead | undefined {
    const failed = this.all.get(ip);
    if (failed === undefined) return undefined;
    const address = view?.get(ip);
    const { ageSeconds = Number.POSITIVE_INFINITY } = address ?? {};
    const readSince = this.clock.monotonic() - ageSeconds * SECOND_MS > failed.at;
    if (!readSince && needsRead(address) && view?.isGone(ip) !== true) return failed;
    this.all.delete(ip);
    return undefined;
  }
}

/** Else no run reads it again: a list has shown it meanwhile, or a poll follows the action on it. */
function needsRead(address: InventoryAddress | undefined): boolean {
  return (
    address === undefined || address.unconfirmed || (address.action !== undefined && address.inFlight === undefined)
  );
}
