/** Addresses of the account: found, made, assigned, unassigned, released. The same rules for both families. */

import type { SimulatorRequest } from "../../http/message.js";
import { isBusy, startAction } from "../actions.js";
import type { ActionData, AddressData, DropletData } from "../data.js";
import type { World } from "../world.js";
import { checkAssign, checkUnassign } from "./address-rules.js";
import { heldBy, setHolder } from "./holders.js";
import { isUsableIn, numberOf, shortIpv6 } from "./ip.js";

export interface NewAddress {
  readonly family: AddressData["family"];
  readonly region: string;
  readonly ip: string;
  readonly projectId: string;
  /** @default null */
  readonly prefix?: string;
}

export function addAddress(world: World, address: NewAddress): AddressData {
  const { numbers, clock, data } = world;
  const added: AddressData = {
    ...{ prefix: null, ...address, reservedAt: clock.now(), dropletId: null, assignedAt: null, actionId: null },
    resourceId: address.family === "ipv4" ? numberOf(address.ip) : numbers.nextRecordId(),
  };
  data.addresses.set(added.ip, added);
  return added;
}

/** An IPv4 address: reserved, or any usable one of an active BYOIP prefix. */
export function findIpv4(world: World, ip: string): AddressData | undefined {
  const known = world.data.addresses.get(ip);
  if (known !== undefined) return known.family === "ipv4" ? known : undefined;
  const prefix = [...world.data.prefixes.values()].find(
    (candidate) => candidate.status === "active" && isUsableIn(candidate.prefix, ip),
  );
  if (prefix === undefined) return undefined;
  const { uuid, region, projectId } = prefix;
  return addAddress(world, { family: "ipv4", region, ip, projectId, prefix: uuid });
}

/** An IPv6 address in whatever spelling. */
export function findIpv6({ data }: World, ip: string): AddressData | undefined {
  const known = data.addresses.get(shortIpv6(ip) ?? "");
  return known?.family === "ipv6" ? known : undefined;
}

/** DigitalOcean's own addresses of a family, and by switch the BYOIP ones in use. */
export function listAddresses({ data, settings }: World, family: AddressData["family"]): readonly AddressData[] {
  const { byoipInReservedList } = settings.switches;
  return [...data.addresses.values()].filter(
    ({ family: its, prefix, dropletId }) =>
      its === family && (prefix === null || (byoipInReservedList && dropletId !== null)),
  );
}

/** Addresses that count against the account's limit. */
export function countReserved({ data }: World, family: AddressData["family"]): number {
  return [...data.addresses.values()].filter((one) => one.family === family && one.prefix === null).length;
}

/** The address that a droplet holds. */
export function addressOf(world: World, droplet: DropletData, family: AddressData["family"]) {
  return heldBy(world, droplet.id).find((one) => one.family === family);
}

/** Starts to assign; throws a 422 where the rules forbid it. */
export function assign(
  request: SimulatorRequest,
  world: World,
  address: AddressData,
  droplet: DropletData,
): ActionData {
  checkAssign(request, address, droplet, {
    held: addressOf(world, droplet, address.family),
    busy: isBusy(world, droplet.id),
    moveNeedsUnassign: world.settings.switches.moveNeedsUnassign,
  });
  const from = address.dropletId === null ? [] : [address.dropletId];
  const { assign: ms } = world.settings.durations;
  return startAddressAction(world, address, { type: "assign_ip", dropletIds: [droplet.id, ...from], ms }, () => {
    setHolder(world, address, droplet.id);
  });
}

/** Starts to unassign; throws a 422 where the rules forbid it. */
export function unassign(request: SimulatorRequest, world: World, address: AddressData): ActionData {
  const holder = address.dropletId;
  checkUnassign(request, address, { busy: holder !== null && isBusy(world, holder) });
  const { unassign: ms } = world.settings.durations;
  const dropletIds = holder === null ? [] : [holder];
  return startAddressAction(world, address, { type: "unassign_ip", dropletIds, ms }, () => {
    setHolder(world, address, null);
  });
}

interface AddressAction {
  readonly type: "assign_ip" | "unassign_ip" | "reserve_ip";
  readonly dropletIds: readonly number[];
  readonly ms: number;
}

/** Runs an action on an address, which is locked meanwhile. Actions on BYOIP addresses are hidden. */
export function startAddressAction(
  world: World,
  address: AddressData,
  start: AddressAction,
  complete: () => void,
): ActionData {
  const { ip, region, resourceId, prefix, family } = address;
  const resourceType = family === "ipv4" ? "reserved_ip" : "reserved_ipv6";
  const facts = { ip, region, resourceId, resourceType, hidden: prefix !== null } as const;
  const action = startAction(world, { ...start, ...facts }, complete);
  if (action.status === "in-progress") address.actionId = action.id;
  return action;
}
