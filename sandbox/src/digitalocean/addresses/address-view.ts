/** Reserved addresses as the API shows them, under their two names. */

import type { JsonObject, JsonValue } from "../../http/json.js";
import type { SimulatorRequest } from "../../http/message.js";
import type { AddressData } from "../data.js";
import { dropletView } from "../droplets/droplet-view.js";
import { notFound } from "../errors.js";
import { regionView } from "../regions.js";
import type { World } from "../world.js";
import { findIpv4 } from "./address-store.js";

/** How one of the two names the same thing. */
export interface Spelling {
  readonly one: "reserved_ip" | "floating_ip";
  readonly many: "reserved_ips" | "floating_ips";
}

/** The IPv4 address that the route names; 404 where there is none. */
export function addressOfRoute(request: SimulatorRequest, world: World, { one }: Spelling): AddressData {
  const address = findIpv4(world, request.params[one] ?? "");
  if (address === undefined) throw notFound(request);
  return address;
}

/** Null, or the whole droplet. */
export function holderView(world: World, { dropletId }: AddressData): JsonValue {
  const droplet = dropletId === null ? undefined : world.data.droplets.get(dropletId);
  return droplet === undefined ? null : dropletView(world, droplet);
}

export function addressView(world: World, address: AddressData): JsonObject {
  const { ip, region, actionId, projectId } = address;
  const holder = { droplet: holderView(world, address) };
  return { ip, ...holder, region: regionView(region), locked: actionId !== null, project_id: projectId };
}
