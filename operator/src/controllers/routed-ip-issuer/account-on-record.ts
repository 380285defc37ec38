/** `status.account` of an issuer: which account has its addresses and firewalls. */

import type { RoutedIPIssuerStatus, RoutedIPStatus } from "cdk8s-flipop/api";
import { createdFirewallsOf } from "../../routing/firewalls/firewalls-in-issuer-status.js";

export interface AccountUse {
  /** The account that answered. Absent: it is not read, or the token may not read which one it is. */
  readonly seen?: string;
  /** A RoutedIP or the issuer has something in the account on record. */
  readonly isUsed: boolean;
}

/**
 * @param seen see `AddressAccount.key`
 * @param users the status of each RoutedIP of the issuer
 */
export function accountUse(
  seen: string | undefined,
  status: RoutedIPIssuerStatus,
  users: readonly (RoutedIPStatus | undefined)[],
): AccountUse {
  const { additionalFirewalls = [], retainedFirewalls = [] } = status;
  const firewalls = [...createdFirewallsOf(status), ...additionalFirewalls, ...retainedFirewalls];
  const isUsed = firewalls.length > 0 || users.some(hasRecords);
  return { isUsed, ...(seen !== undefined && { seen }) };
}

/** An address that the operator created or assigned, or something in a firewall. */
function hasRecords(status: RoutedIPStatus = {}): boolean {
  const { created, pendingCreation, providerID, firewall, previousFirewalls } = status;
  const lists = [status.firewallRules ?? [], previousFirewalls ?? []];
  const isInAccount = [pendingCreation, providerID, firewall].some((trace) => trace !== undefined);
  return created === true || isInAccount || lists.some((list) => list.length > 0);
}

/** The parts of a snapshot that decide. */
interface Observed {
  readonly issuer: { readonly status: RoutedIPIssuerStatus };
  readonly accountUse: AccountUse;
  readonly cachesComplete: boolean;
  readonly users: readonly string[];
  readonly account: unknown;
}

/** Written before RoutedIPs have anything in the account, and kept as long as they do. */
export function accountOnRecord({ issuer, accountUse: use, cachesComplete, users, account }: Observed) {
  const { account: recorded } = issuer.status;
  if (!cachesComplete || (recorded !== undefined && use.isUsed)) return recorded;
  return account === "good" && (use.isUsed || users.length > 0) ? (recorded ?? use.seen) : undefined;
}
