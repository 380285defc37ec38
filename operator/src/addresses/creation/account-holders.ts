/** Whose the addresses of an account are that has reached its limit. Pure. */

import type { ResourceRef } from "../../inventory/view.js";
import { refText } from "../../messages/claims.js";
import { creationMessages } from "../../messages/creation.js";
import { compareText } from "../../values.js";
import type { AddressSnapshot } from "../address-set.js";
import type { Obstacle } from "./obstacles.js";

type Holder = ResourceRef & { readonly count: number };

/** A person who must release an address needs to know where the others are. */
export function withHolders(snapshot: AddressSnapshot, obstacle: Obstacle): Obstacle {
  const { problem: cause } = obstacle;
  if (cause.reason !== "QuotaExceeded") return obstacle;
  const { holders, unknown } = holdersIn(snapshot);
  if (holders.length === 0 && unknown === 0) return obstacle;
  return {
    ...obstacle,
    problem: creationMessages.accountFull({ cause, family: snapshot.set.family, holders, unknown }),
  };
}

/** Addresses of ranges that their owner brought do not count against the limit. */
function holdersIn({ inventory, ownerOf }: AddressSnapshot) {
  const holders = new Map<string, Holder>();
  let unknown = 0;
  for (const { ip, borrowed } of inventory.addresses.values()) {
    if (borrowed === true) continue;
    const owner = ownerOf(ip);
    if (owner === undefined) unknown += 1;
    else holders.set(owner.uid, { ...owner, count: (holders.get(owner.uid)?.count ?? 0) + 1 });
  }
  const sorted = [...holders.values()].sort(
    (one, other) => other.count - one.count || compareText(refText(one), refText(other)),
  );
  return { holders: sorted, unknown };
}
