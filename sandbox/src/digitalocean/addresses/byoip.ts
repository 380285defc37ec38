/** `/v2/byoip_prefixes`: prefixes of the customer's own; their addresses are assigned like reserved IPv4 ones. */

import { isIPv4 } from "node:net";
import type { Route } from "../../http/api.js";
import type { JsonObject } from "../../http/json.js";
import type { SimulatorAnswer, SimulatorRequest } from "../../http/message.js";
import type { AddressData, PrefixData } from "../data.js";
import { notFound, unprocessable } from "../errors.js";
import { bodyOf, booleanField, required, textField } from "../fields.js";
import { page } from "../pagination.js";
import { REGIONS } from "../regions.js";
import { timestamp } from "../time.js";
import type { World } from "../world.js";
import { removeAddress } from "./holders.js";

const LIST = "/v2/byoip_prefixes";
const ITEM = `${LIST}/{byoip_prefix_uuid}`;

/** Adds a prefix of the given status. */
export function addPrefix(
  { data, numbers }: World,
  facts: Pick<PrefixData, "prefix" | "region" | "status">,
): PrefixData {
  const uuid = numbers.uuid();
  const rest = { advertised: false, locked: false, failureReason: "", projectId: data.account.uuid };
  const prefix: PrefixData = { ...facts, ...rest, uuid, name: `prefix-${uuid.slice(0, 8)}` };
  data.prefixes.set(uuid, prefix);
  return prefix;
}

function prefixOf(request: SimulatorRequest, { data }: World): PrefixData {
  const prefix = data.prefixes.get(request.params["byoip_prefix_uuid"] ?? "");
  if (prefix === undefined) throw notFound(request);
  return prefix;
}

function view({ uuid, name, prefix, status, region, ...rest }: PrefixData): JsonObject {
  const { failureReason, locked, advertised, projectId } = rest;
  const more = { validations: [], failure_reason: failureReason, locked, advertised, project_id: projectId };
  return { uuid, name, prefix, status, region, ...more };
}

function create(request: SimulatorRequest, world: World): SimulatorAnswer {
  const body = bodyOf(request);
  const text = (name: string) => required(request, name, textField(request, body, name));
  const prefix = text("prefix");
  const region = text("region");
  text("signature");
  if (!isPrefix(prefix)) throw unprocessable(request, "prefix must be an IPv4 network from /18 to /24.");
  if (!REGIONS.includes(region)) throw unprocessable(request, `Region ${region} is not available.`);
  if ([...world.data.prefixes.values()].some((other) => other.prefix === prefix)) {
    throw unprocessable(request, `prefix ${prefix} exists already.`);
  }
  const added = addPrefix(world, { prefix, region, status: "in_progress" });
  world.scheduler.later(world.settings.durations.prefix, () => {
    added.status = "active";
  });
  return { status: 202, body: { uuid: added.uuid, region, status: added.status } };
}

function isPrefix(text: string): boolean {
  const [address = "", bits = ""] = text.split("/");
  return isIPv4(address) && /^\d\d$/.test(bits) && Number(bits) >= 18 && Number(bits) <= 24;
}

function advertise(request: SimulatorRequest, world: World): SimulatorAnswer {
  const prefix = prefixOf(request, world);
  const wanted = booleanField(request, bodyOf(request), "advertise");
  if (prefix.status !== "active") throw unprocessable(request, "The prefix is not active yet.");
  if (wanted !== undefined) prefix.advertised = wanted;
  return { status: 202, body: { byoip_prefix: view(prefix) } };
}

function remove(request: SimulatorRequest, world: World): SimulatorAnswer {
  const prefix = prefixOf(request, world);
  const addresses = ofPrefix(world, prefix);
  if (addresses.some(({ dropletId, actionId }) => dropletId !== null || actionId !== null)) {
    throw unprocessable(request, "Addresses of the prefix are still in use.");
  }
  for (const address of addresses) removeAddress(world, address);
  world.data.prefixes.delete(prefix.uuid);
  return { status: 202 };
}

/** Addresses of the prefix that were used at least once. */
function ofPrefix({ data }: World, { uuid }: PrefixData): readonly AddressData[] {
  return [...data.addresses.values()].filter((address) => address.prefix === uuid);
}

function list(request: SimulatorRequest, { data }: World): SimulatorAnswer {
  return page(request, "byoip_prefixes", [...data.prefixes.values()], view);
}

function get(request: SimulatorRequest, world: World): SimulatorAnswer {
  return { status: 200, body: { byoip_prefix: view(prefixOf(request, world)) } };
}

/** Only addresses that are assigned now are listed. */
function listIps(request: SimulatorRequest, world: World): SimulatorAnswer {
  const held = ofPrefix(world, prefixOf(request, world)).filter(({ dropletId }) => dropletId !== null);
  return page(request, "ips", held, ({ resourceId, ip, region, dropletId, assignedAt }) => ({
    ...{ id: resourceId, byoip: ip, region, resource: `do:droplet:${dropletId}` },
    assigned_at: timestamp(assignedAt ?? world.clock.now()),
  }));
}

export const byoipRoutes: readonly Route<World>[] = [
  { method: "GET", path: LIST, handle: list },
  { method: "POST", path: LIST, handle: create },
  { method: "GET", path: ITEM, handle: get },
  { method: "PATCH", path: ITEM, handle: advertise },
  { method: "DELETE", path: ITEM, handle: remove },
  { method: "GET", path: `${ITEM}/ips`, handle: listIps },
];
