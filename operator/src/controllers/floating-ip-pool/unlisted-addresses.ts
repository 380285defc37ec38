/** Addresses of the account that no resource has, such as those of a pool that was deleted, and that the pool could have. Pure. */

import type { Desired } from "../../addresses/desired-addresses.js";
import type { InventoryAddress } from "../../inventory/view.js";
import type { candidateMessages } from "../../messages/nodes/candidates.js";
import { compareText } from "../../values.js";
import type { Snapshot } from "./snapshot.js";

/** Without those on machines outside of the cluster, in other regions, or beyond the limits of the namespace. */
export function unlistedBeside(snapshot: Snapshot, created: string | undefined): readonly InventoryAddress[] {
  const { inventory, verdictOf } = snapshot;
  return [...inventory.addresses.values()]
    .filter(({ ip, holder }) => ip !== created && (holder === undefined || verdictOf(holder) !== undefined))
    .filter((address) => isOfNobody(snapshot, address))
    .sort((a, b) => compareText(a.ip, b.ip));
}

/** Where the operator does not watch all resources, it does not know that of any address. */
function isOfNobody({ set, ownerOf, hasUnseenOwners, mayList }: Snapshot, { ip, region }: InventoryAddress): boolean {
  if (hasUnseenOwners === true) return false;
  return ownerOf(ip) === undefined && (!set.region || region === set.region) && mayList?.(ip) !== false;
}

type Left = Omit<Parameters<typeof candidateMessages.besideUnlisted>[0], "active" | "desired" | "disabled">;

/** Those on nodes that match, while the pool has created others: it may be a deleted pool that was created again. */
export function leftByFormer(snapshot: Snapshot, { addresses }: Desired): Left | undefined {
  const wanted = addresses.filter((address) => address.wanted);
  const created = wanted.flatMap(({ ip, origin }) => (origin === "created" ? [ip] : []));
  // A new address of another resource is in the account before it is in a status.
  if (created.length === 0 || snapshot.otherCreations.length > 0) return undefined;
  // By node: each run looks, and the account may have many more addresses.
  const left = snapshot.candidates
    .flatMap(({ machine, name }) => {
      const held = machine === undefined ? [] : snapshot.inventory.heldBy(machine);
      return held.filter((address) => isOfNobody(snapshot, address)).map(({ ip }) => ({ ip, node: name }));
    })
    .sort((one, other) => compareText(one.ip, other.ip));
  if (left.length === 0) return undefined;
  const taken = left.slice(0, created.length).map(({ ip }) => ip);
  const given = wanted.flatMap(({ ip, origin }) => (origin === "created" ? [] : [ip]));
  return { created, left, ips: [...given, ...taken, ...created.slice(0, created.length - taken.length)] };
}
