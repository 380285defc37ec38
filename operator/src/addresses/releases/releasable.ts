/** Which addresses of a set it releases once nothing needs them any more. Pure. */

import type { ResourceRef } from "../../inventory/view.js";
import type { Owned } from "../../messages/claims.js";
import type { Problem } from "../../messages/message.js";
import { deletionMessages } from "../../messages/summary.js";
import { type AddressSet, type AddressSnapshot, isDeleting } from "../address-set.js";
import { isOurs, type Placement } from "../placements.js";

/** Created by us, not wanted, and to be deleted. Listed, restored, inferred, borrowed and conflicted ones never are. */
export function isReleasable(snapshot: AddressSnapshot, placement: Placement): boolean {
  return isCertain(placement.address) && isUnwanted(snapshot, placement);
}

export function isUnwanted({ set }: AddressSnapshot, placement: Placement): boolean {
  const { address, facts } = placement;
  if (set.reclaimPolicy !== "Delete" || address.origin === "listed") return false;
  return isOurs(placement) && (isDeleting(set) || !address.wanted) && facts?.borrowed !== true;
}

export function isCertain({ origin, inferred }: Placement["address"]): boolean {
  return origin === "created" && inferred !== true;
}

/** Who gets it instead. */
export function askedBy({ address: { claim } }: Pick<Placement, "address">): ResourceRef | undefined {
  return claim?.ours === true ? claim.askedBy : undefined;
}

/** What a pool retains goes to a resource of its namespace that lists it, as soon as the pool is deleted. */
export function isBequeathed({ kind, metadata, reclaimPolicy }: AddressSet, address: Placement["address"]): boolean {
  if (kind !== "FloatingIPPool" || reclaimPolicy === "Delete" || !isCertain(address)) return false;
  return askedBy({ address })?.namespace === metadata.namespace;
}

/** Not asked for any more, on a node, and nothing but the pool's own: a wanted address may get its node. */
export function isSpare({ set }: AddressSnapshot, placement: Placement): boolean {
  const { address, holder, facts } = placement;
  if (set.kind !== "FloatingIPPool" || isDeleting(set) || address.wanted || holder === undefined) return false;
  return isOurs(placement) && askedBy(placement) === undefined && facts?.borrowed !== true;
}

/** Its place is certain, no other resource lists it, and all that may list it have been read. */
export function maySpareLeave(snapshot: AddressSnapshot, placement: Placement): boolean {
  const { claim } = placement.address;
  if (!isSpare(snapshot, placement) || placement.certainty !== "seen") return false;
  return claim?.ours === true && claim.unread !== true && claim.asked !== true;
}

/** The pool that a node's annotation gives the address to, if this operator does not see it: that one may serve it. */
export function markedFor({ address: { claim } }: Placement): Owned | undefined {
  return claim?.ours === true ? claim.marked : undefined;
}

/** An address is not released because of such an annotation. */
export function heldByMark(snapshot: AddressSnapshot, placements: readonly Placement[]): Problem | undefined {
  const held = placements.find((each) => isReleasable(snapshot, each) && markedFor(each) !== undefined);
  const owned = held && markedFor(held);
  return owned && deletionMessages.releasedAfterMark({ ip: held.address.ip, ...owned });
}
