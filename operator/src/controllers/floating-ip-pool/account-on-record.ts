/** The account that has the addresses of a pool. After a restart the token may be of another one, where they would count as vanished. */

import { type AddressStatus, canonicalIp, isIp, type Reason } from "cdk8s-flipop/api";
import type { PlannedAddress } from "../../addresses/address-status.js";
import type { InventoryView } from "../../inventory/view.js";
import type { Problem } from "../../messages/message.js";
import { providerMessages } from "../../messages/provider.js";
import { isSameAccount } from "../../providers/credentials.js";
import { omitUndefined } from "../../values.js";
import type { Pool, Snapshot } from "./snapshot.js";

/** Of an address that the account has never shown, or that is none of the pool's. */
const NOT_OURS: ReadonlySet<string | undefined> = new Set<Reason>([
  "AddressNotFound",
  "AddressNotAllowed",
  "ClaimedByOther",
]);

/** An `AddressAccount`. */
interface AccountRead {
  readonly key: string | undefined;
  readonly inventory: { view(): Pick<InventoryView, "complete" | "get"> } | undefined;
}

/**
 * Why the account counts as not read for the pool; `undefined`: it counts. An address is in one account, so whatever the keys
 * say, one that shows an address on record is the right one.
 */
export function otherAccount({ key: current, inventory }: AccountRead, pool: Pool): Problem | undefined {
  const { account: recorded, ips: statuses = {} } = pool.status;
  if (recorded === undefined || (current !== undefined && isSameAccount(recorded, current))) return undefined;
  const ips = addressesOnRecord(pool, Object.entries(statuses));
  const view = inventory?.view();
  if (view?.complete !== true || ips.length === 0 || ips.some((ip) => view.get(ip) !== undefined)) return undefined;
  return providerMessages.otherAccount({ provider: pool.spec.provider, recorded, ips, ...omitUndefined({ current }) });
}

/** What `status.account` is to be. Another account replaces it only once that shows all addresses of the pool. */
export function accountToRecord(
  { pool, inventory, accountKey }: Pick<Snapshot, "pool" | "inventory" | "accountKey">,
  addresses: readonly PlannedAddress[],
): string | undefined {
  const { account: recorded } = pool.status;
  const entries = addresses.map(({ ip, status }) => [ip, status] as const);
  const ips = addressesOnRecord(pool, entries);
  if (accountKey === undefined) return recorded;
  if (ips.length === 0) return undefined;
  if (recorded !== undefined && isSameAccount(recorded, accountKey)) return recorded;
  // One that it lacks may be in the account of a former token.
  return ips.every((ip) => inventory.get(ip) !== undefined) ? accountKey : recorded;
}

/** Those that the operator created, and those that the spec lists and the account has shown; canonical. */
function addressesOnRecord(
  { spec, status }: Pool,
  entries: readonly (readonly [ip: string, entry: AddressStatus])[],
): readonly string[] {
  const created = (status.createdIPs ?? []).map(({ ip }) => canonicalIp(ip));
  const listed = new Set((spec.ips ?? []).filter(isIp).map(canonicalIp));
  const shown = entries.flatMap(([ip, { reason }]) => (NOT_OURS.has(reason) ? [] : [canonicalIp(ip)]));
  return [...new Set([...created, ...shown.filter((ip) => listed.has(ip))])];
}
