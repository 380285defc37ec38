/** Addresses of the account that no resource has, such as those of a pool that was deleted, and that the pool could have. Pure. */

import type { Desired } from "../../addresses/desired.js";
import type { InventoryAddress } from "../../inventory/view.js";
import type { candidateMessages } from "../../messages/nodes/candidates.js";
import { compareText } from "../../values.js";
import type { Snapshot } from "./snapshot.js";

/** Without those on machines outside of the cluster, in other regions, or beyond the limits of the namespace. */
export function unlistedBeside(
  { set, inventory, ownerOf, verdictOf, mayList }: Snapshot,
  created: string | undefined,
): readonly InventoryAddress[] {
  const isOfNobody = ({ ip, holder, region }: InventoryAddress) =>
    ip !== created &&
    ownerOf(ip) === undefined &&
    (!set.region || region === set.region) &&
    (holder === undefined || verdictOf(holder) !== undefined) &&
    mayList?.(ip) !== false;
  return [...inventory.addresses.values()].filter(isOfNobody).sort((a, b) => compareText(a.ip, b.ip));
}

type Left = Omit<Parameters<typeof candidateMessages.besideUnlisted>[0], "active" | "desired" | "disabled">;

/** Those on nodes that match, while the pool has created others: it may be a deleted pool that was created again. */
export function leftByFormer(snapshot: Snapshot, { addresses }: Desired): Left | undefined {
  const wanted = addresses.filter((address) => address.wanted);
  const created = wanted.flatMap(({ ip, origin }) => (origin === "created" ? [ip] : []));
  // A new address of another resource is in the account before it is in a status.
  if (created.length === 0 || snapshot.otherCreations.length > 0) return undefined;
  const left = unlistedBeside(snapshot, undefined).flatMap(({ ip, holder }) => {
    const verdict = holder === undefined ? undefined : snapshot.verdictOf(holder);
    return verdict?.refusals.length === 0 ? [{ ip, node: verdict.node.name }] : [];
  });
  if (left.length === 0) return undefined;
  const taken = left.slice(0, created.length).map(({ ip }) => ip);
  const given = wanted.flatMap(({ ip, origin }) => (origin === "created" ? [] : [ip]));
  return { created, left, ips: [...given, ...taken, ...created.slice(0, created.length - taken.length)] };
}
