/** Why an address can't be assigned, unassigned or released: all are 422 and differ in the message only. */

import type { SimulatorRequest } from "../../http/message.js";
import type { AddressData, DropletData } from "../data.js";
import { unprocessable } from "../errors.js";

/** Messages of the API where clients have reported them; the others are plain words for it. */
export const ADDRESS_MESSAGES = {
  addressBusy: "The floating IP already has a pending event.",
  dropletBusy: "Droplet already has a pending event.",
  otherRegion: "The floating IP and the Droplet must be in the same region.",
  alreadyHolder: "The floating IP is already assigned to this Droplet.",
  dropletHasAddress: "Droplet already has a floating IP assigned.",
  heldElsewhere: "The floating IP is already assigned to another Droplet.",
  noIpv6: "IPv6 is not enabled on this Droplet.",
  notAssigned: "The floating IP is not assigned to a Droplet.",
  assignedIpv6: "flipv6 released failed: assigned FLIP cannot be released",
  byoip: "BYOIP addresses belong to their prefix and cannot be released.",
} as const;

/** 422 for one more than the account may have. */
export const QUOTA_MESSAGE = "You have reached the limit of reserved IPs for this account.";

interface AssignFacts {
  /** What the droplet has already. */
  readonly held: AddressData | undefined;
  readonly busy: boolean;
  readonly moveNeedsUnassign: boolean;
}

/** In the order in which the API looks; a new droplet is busy with its create event. */
export function checkAssign(
  request: SimulatorRequest,
  address: AddressData,
  droplet: DropletData,
  { held, busy, moveNeedsUnassign }: AssignFacts,
): void {
  const elsewhere = address.dropletId !== null && address.dropletId !== droplet.id;
  const refusals: readonly (readonly [boolean, string])[] = [
    [address.actionId !== null, ADDRESS_MESSAGES.addressBusy],
    [address.region !== droplet.region, ADDRESS_MESSAGES.otherRegion],
    [address.dropletId === droplet.id, ADDRESS_MESSAGES.alreadyHolder],
    [held !== undefined, ADDRESS_MESSAGES.dropletHasAddress],
    [elsewhere && moveNeedsUnassign, ADDRESS_MESSAGES.heldElsewhere],
    [busy || droplet.status === "new", ADDRESS_MESSAGES.dropletBusy],
    [address.family === "ipv6" && droplet.publicIpv6 === null, ADDRESS_MESSAGES.noIpv6],
  ];
  refuseFirst(request, refusals);
}

export function checkUnassign(request: SimulatorRequest, address: AddressData, { busy }: { busy: boolean }): void {
  refuseFirst(request, [
    [address.actionId !== null, ADDRESS_MESSAGES.addressBusy],
    [address.dropletId === null, ADDRESS_MESSAGES.notAssigned],
    [busy, ADDRESS_MESSAGES.dropletBusy],
  ]);
}

/** @param needsUnassign the switch for IPv4; IPv6 always needs it. */
export function checkRelease(request: SimulatorRequest, address: AddressData, needsUnassign: boolean): void {
  const assigned = address.dropletId !== null;
  refuseFirst(request, [
    [address.actionId !== null, ADDRESS_MESSAGES.addressBusy],
    [address.prefix !== null, ADDRESS_MESSAGES.byoip],
    [assigned && address.family === "ipv6", ADDRESS_MESSAGES.assignedIpv6],
    [assigned && needsUnassign, ADDRESS_MESSAGES.heldElsewhere],
  ]);
}

function refuseFirst(request: SimulatorRequest, refusals: readonly (readonly [boolean, string])[]): void {
  const first = refusals.find(([applies]) => applies);
  if (first !== undefined) throw unprocessable(request, first[1]);
}
