/** Created addresses that a node's annotation gives to a pool which this operator does not see: it may serve them. Pure. */

import type { Owned } from "../../messages/claims.js";
import type { Problem } from "../../messages/message.js";
import { deletionMessages } from "../../messages/summary.js";
import type { AddressSnapshot } from "../address-set.js";
import type { Placement } from "../placements.js";
import { isReleasable } from "./releasable.js";

/** `undefined`: none of them has it. */
export function markedFor({ address: { claim } }: Placement): Owned | undefined {
  return claim?.ours === true ? claim.marked : undefined;
}

/** Addresses that are not released for that. */
export function heldByMark(snapshot: AddressSnapshot, placements: readonly Placement[]): Problem | undefined {
  const held = placements.find((each) => isReleasable(snapshot, each) && markedFor(each) !== undefined);
  const owned = held && markedFor(held);
  return owned && deletionMessages.releasedAfterMark({ ip: held.address.ip, ...owned });
}
