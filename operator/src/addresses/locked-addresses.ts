/** Addresses on which another party's action runs: only a read of the address itself shows its end. */

import { LOCKED_READ_SECONDS, SECOND_MS } from "../bounds.js";
import type { InventoryAddress, InventoryView } from "../inventory/types.js";

/** Whether it is time to read the address again. */
export function isLockedFor(address: InventoryAddress | undefined): boolean {
  return address !== undefined && isLocked(address) && address.ageSeconds >= LOCKED_READ_SECONDS;
}

/** ms until the first of them is to be read again; `undefined`: none is locked. */
export function lockedDueMs(view: InventoryView | undefined, ips: readonly string[]): number | undefined {
  const locked = ips.flatMap((ip) => view?.get(ip) ?? []).filter(isLocked);
  const waits = locked.map(({ ageSeconds }) => Math.max(0, LOCKED_READ_SECONDS - ageSeconds) * SECOND_MS);
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** The operator polls its own actions. */
function isLocked({ action, inFlight }: InventoryAddress): boolean {
  return action !== undefined && action.id === undefined && inFlight === undefined;
}
