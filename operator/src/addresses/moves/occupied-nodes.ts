/** Nodes that only the cached list of the account shows as full. */

import type { ProviderId } from "../../providers/types.js";
import { isDue } from "../../reconcile/retries.js";
import { MOVE_MAX_AGE_SECONDS } from "../../timings.js";
import { type AddressSnapshot, isObserved } from "../address-set.js";
import type { WaitingNodes } from "../assignments.js";
import { canTake } from "./addresses-by-region.js";

/**
 * An address waits, and a node that it could go to had an address of no resource when the account was listed: that address
 * may have left since, and only a read shows it.
 * @param limit of addresses on a node
 */
export function needsFreshList(
  snapshot: AddressSnapshot,
  { wants, groups, shared }: WaitingNodes,
  limit: number,
): boolean {
  const { inventory, providerFailure, candidates, hasPassed, memory, now } = snapshot;
  const isYoung = inventory.ageSeconds <= MOVE_MAX_AGE_SECONDS;
  if (isYoung || providerFailure !== undefined || !isObserved(snapshot) || wants <= shared.length) return false;
  return candidates.some((node) => {
    const { machine } = node;
    if (machine === undefined || !isDue(memory.nodeRetryAt.get(machine), now)) return false;
    const isFull = inventory.heldCount(machine) >= limit;
    return isFull && hasForeign(snapshot, machine) && groups.some((group) => canTake(node, group, hasPassed));
  });
}

function hasForeign({ inventory, ownerOf }: AddressSnapshot, machine: ProviderId): boolean {
  return inventory.heldBy(machine).some(({ ip }) => ownerOf(ip) === undefined);
}
