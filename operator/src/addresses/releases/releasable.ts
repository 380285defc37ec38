/** Which addresses of a set it releases once nothing needs them any more. Pure. */

import type { ResourceRef } from "../../inventory/view.js";
import { type AddressSnapshot, isDeleting } from "../address-set.js";
import { isOurs, type Placement } from "../observed.js";

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
export function askedBy({ address: { claim } }: Placement): ResourceRef | undefined {
  return claim?.ours === true ? claim.askedBy : undefined;
}
