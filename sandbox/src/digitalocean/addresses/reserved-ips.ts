/** `/v2/reserved_ips` and its older name `/v2/floating_ips`: two spellings of the same addresses. */

import type { Route } from "../../http/api.js";
import type { SimulatorAnswer, SimulatorRequest } from "../../http/message.js";
import { actionLink } from "../actions.js";
import { notFound, refusal, unprocessable } from "../errors.js";
import { bodyOf, integerField, required, textField } from "../fields.js";
import { page } from "../pagination.js";
import { REGIONS } from "../regions.js";
import type { World } from "../world.js";
import { checkRelease, QUOTA_MESSAGE } from "./address-rules.js";
import { addAddress, assign, countReserved, listAddresses, startAddressAction } from "./address-store.js";
import { addressOfRoute, addressView, type Spelling } from "./address-view.js";
import { removeAddress } from "./holders.js";
import { reservedIpActionRoutes } from "./reserved-ip-actions.js";

/** By `droplet_id` (assigned in one go) or by `region`; the description allows no request that has both. */
function create(request: SimulatorRequest, world: World, spelling: Spelling): SimulatorAnswer {
  const body = bodyOf(request);
  const dropletId = integerField(request, body, "droplet_id");
  const requested = textField(request, body, "region");
  if (dropletId !== undefined && requested !== undefined) throw unprocessable(request, BOTH_MESSAGE);
  if (countReserved(world, "ipv4") >= world.data.account.reservedIpLimit) throw unprocessable(request, QUOTA_MESSAGE);
  if (dropletId !== undefined) return createFor(request, world, spelling, dropletId);
  const region = required(request, "region", requested);
  if (!REGIONS.includes(region)) throw unprocessable(request, `Region ${region} is not available.`);
  const projectId = textField(request, body, "project_id") ?? world.data.account.uuid;
  const address = addAddress(world, { family: "ipv4", region, ip: world.numbers.reservedIp(), projectId });
  startAddressAction(world, address, { type: "reserve_ip", dropletIds: [], ms: 0 }, () => undefined);
  return { status: 202, body: { [spelling.one]: addressView(world, address), links: {} } };
}

/** The words are the simulator's: the API's own are not known. */
export const BOTH_MESSAGE = "Specify either a droplet_id or a region, not both.";

function createFor(request: SimulatorRequest, world: World, spelling: Spelling, dropletId: number): SimulatorAnswer {
  const droplet = world.data.droplets.get(dropletId);
  if (droplet === undefined) throw notFound(request);
  const { uuid: projectId } = world.data.account;
  const ip = world.numbers.reservedIp();
  const address = addAddress(world, { family: "ipv4", region: droplet.region, ip, projectId });
  try {
    const action = assign(request, world, address, droplet);
    const href = `${request.baseUrl}/v2/droplets/${droplet.id}`;
    const links = { droplets: [{ id: droplet.id, rel: "droplet", href }], actions: [actionLink(request, action)] };
    return { status: 202, body: { [spelling.one]: addressView(world, address), links } };
  } catch (error) {
    // Refused: nothing is reserved either.
    world.data.addresses.delete(ip);
    throw error;
  }
}

function release(request: SimulatorRequest, world: World, spelling: Spelling): SimulatorAnswer {
  const address = addressOfRoute(request, world, spelling);
  checkRelease(request, address, world.settings.switches.releaseNeedsUnassign);
  removeAddress(world, address);
  return { status: 204 };
}

function routes(spelling: Spelling): readonly Route<World>[] {
  const { one, many } = spelling;
  const list = `/v2/${many}` as const;
  const item = `${list}/{${one}}` as const;
  return [
    {
      method: "GET",
      path: list,
      handle: (request, world) =>
        page(request, many, listAddresses(world, "ipv4"), (address) => addressView(world, address)),
    },
    { method: "POST", path: list, handle: (request, world) => throttled(request, world, spelling) },
    {
      method: "GET",
      path: item,
      handle: (request, world) => ({
        status: 200,
        body: { [one]: addressView(world, addressOfRoute(request, world, spelling)) },
      }),
    },
    { method: "DELETE", path: item, handle: (request, world) => release(request, world, spelling) },
    ...reservedIpActionRoutes(spelling),
  ];
}

/** Creations have a limit of their own, beside the ones for all calls; its 429 has no retry-after. */
function throttled(request: SimulatorRequest, world: World, spelling: Spelling): SimulatorAnswer {
  if (!world.creations.tryTake(world.clock.now(), world.settings.limits.createsPerMinute)) {
    throw refusal(request, 429, "Too many reserved IPs were created in the last minute.");
  }
  return create(request, world, spelling);
}

export const reservedIpRoutes: readonly Route<World>[] = [
  ...routes({ one: "reserved_ip", many: "reserved_ips" }),
  ...routes({ one: "floating_ip", many: "floating_ips" }),
];
