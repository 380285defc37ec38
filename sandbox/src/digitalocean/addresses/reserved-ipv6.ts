/** `/v2/reserved_ipv6`: no lock, no project; its actions are polled at `/v2/actions`. */

import type { Route } from "../../http/api.js";
import type { JsonObject } from "../../http/json.js";
import type { SimulatorAnswer, SimulatorRequest } from "../../http/message.js";
import { actionView } from "../actions.js";
import type { AddressData } from "../data.js";
import { notFound, unprocessable } from "../errors.js";
import { bodyOf, required, textField } from "../fields.js";
import { page } from "../pagination.js";
import { REGIONS } from "../regions.js";
import { timestamp } from "../time.js";
import type { World } from "../world.js";
import { checkRelease, QUOTA_MESSAGE } from "./address-rules.js";
import { addAddress, countReserved, findIpv6, listAddresses } from "./address-store.js";
import { holderView } from "./address-view.js";
import { removeAddress } from "./holders.js";
import { startRequested } from "./reserved-ip-actions.js";

const LIST = "/v2/reserved_ipv6";
const ITEM = `${LIST}/{reserved_ipv6}`;

function addressOfRoute(request: SimulatorRequest, world: World): AddressData {
  const address = findIpv6(world, request.params["reserved_ipv6"] ?? "");
  if (address === undefined) throw notFound(request);
  return address;
}

function view(world: World, address: AddressData): JsonObject {
  const { ip, region, reservedAt } = address;
  return { ip, reserved_at: timestamp(reservedAt), region_slug: region, droplet: holderView(world, address) };
}

/** The answer says nothing of a droplet, not even null. */
function create(request: SimulatorRequest, world: World): SimulatorAnswer {
  const region = required(request, "region_slug", textField(request, bodyOf(request), "region_slug"));
  if (!REGIONS.includes(region)) throw unprocessable(request, `Region ${region} is not available.`);
  const { account } = world.data;
  if (countReserved(world, "ipv6") >= account.reservedIpv6Limit) throw unprocessable(request, QUOTA_MESSAGE);
  const ip = world.numbers.reservedIpv6();
  const address = addAddress(world, { family: "ipv6", region, ip, projectId: account.uuid });
  const { droplet: _, ...body } = view(world, address);
  return { status: 201, body: { reserved_ipv6: body } };
}

function release(request: SimulatorRequest, world: World): SimulatorAnswer {
  const address = addressOfRoute(request, world);
  checkRelease(request, address, true);
  removeAddress(world, address);
  return { status: 204 };
}

export const reservedIpv6Routes: readonly Route<World>[] = [
  {
    method: "GET",
    path: LIST,
    handle: (request, world) =>
      page(request, "reserved_ipv6s", listAddresses(world, "ipv6"), (address) => view(world, address)),
  },
  { method: "POST", path: LIST, handle: create },
  {
    method: "GET",
    path: ITEM,
    handle: (request, world) => ({
      status: 200,
      body: { reserved_ipv6: view(world, addressOfRoute(request, world)) },
    }),
  },
  { method: "DELETE", path: ITEM, handle: release },
  {
    method: "POST",
    path: `${ITEM}/actions`,
    handle: (request, world) => ({
      status: 201,
      body: { action: actionView(startRequested(request, world, addressOfRoute(request, world))) },
    }),
  },
];
