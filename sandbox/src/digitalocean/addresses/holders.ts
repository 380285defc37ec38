/** Which droplet holds which address: the only place where that changes, since it is indexed both ways. */

import type { AddressData, Data } from "../data.js";
import type { World } from "../world.js";

/** @param dropletId null: the address is unassigned. */
export function setHolder({ data, clock }: World, address: AddressData, dropletId: number | null): void {
  forgetHolder(data, address);
  address.dropletId = dropletId;
  address.assignedAt = dropletId === null ? null : clock.now();
  if (dropletId !== null) data.held.set(dropletId, new Set([...(data.held.get(dropletId) ?? []), address.ip]));
}

/** Addresses that a droplet holds, in the order in which it got them. */
export function heldBy({ data }: World, dropletId: number): readonly AddressData[] {
  return [...(data.held.get(dropletId) ?? [])].flatMap((ip) => data.addresses.get(ip) ?? []);
}

/** The address is gone from the account. */
export function removeAddress({ data }: World, address: AddressData): void {
  forgetHolder(data, address);
  data.addresses.delete(address.ip);
}

function forgetHolder({ held }: Data, { ip, dropletId }: AddressData): void {
  if (dropletId === null) return;
  held.get(dropletId)?.delete(ip);
  if (held.get(dropletId)?.size === 0) held.delete(dropletId);
}
