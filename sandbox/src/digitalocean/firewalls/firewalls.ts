/** `/v2/firewalls`. */

import type { Route } from "../../http/api.js";
import type { JsonObject } from "../../http/json.js";
import type { SimulatorAnswer, SimulatorRequest } from "../../http/message.js";
import type { FirewallConfig, FirewallData } from "../data.js";
import { notFound } from "../errors.js";
import { bodyOf, integersField, required, textField, textsField } from "../fields.js";
import { page } from "../pagination.js";
import { timestamp } from "../time.js";
import type { World } from "../world.js";
import { applyConfig } from "./apply-firewall.js";
import { readRules, ruleView } from "./firewall-rules.js";
import { addFirewall, checkConfig } from "./firewall-store.js";
import { firewallMemberRoutes } from "./firewall-subresources.js";

const LIST = "/v2/firewalls";
const ITEM = `${LIST}/{firewall_id}`;

/** The firewall that the route names; 404 where there is none. */
export function firewallOf(request: SimulatorRequest, { data }: World): FirewallData {
  const firewall = data.firewalls.get(request.params["firewall_id"] ?? "");
  if (firewall === undefined) throw notFound(request);
  return firewall;
}

function view({ id, status, createdAt, pending, config }: FirewallData): JsonObject {
  const { name, inbound, outbound, dropletIds, tags } = config;
  return {
    ...{ id, name, status, created_at: timestamp(createdAt), droplet_ids: [...dropletIds], tags: [...tags] },
    inbound_rules: inbound.map((rule) => ruleView(rule, "inbound")),
    outbound_rules: outbound.map((rule) => ruleView(rule, "outbound")),
    pending_changes: pending.map(({ dropletId, removing }) => ({ droplet_id: dropletId, removing, status: "waiting" })),
  };
}

function isListed(firewall: FirewallData): boolean {
  const { unlisted = 0 } = firewall;
  if (unlisted > 0) firewall.unlisted = unlisted - 1;
  return unlisted === 0;
}

/** A whole firewall: what the body leaves out is empty. */
function readConfig(request: SimulatorRequest, { settings }: World): FirewallConfig {
  const body = bodyOf(request);
  const { allPortsSpelling } = settings.switches;
  return {
    name: required(request, "name", textField(request, body, "name")),
    inbound: readRules(request, body, "inbound", allPortsSpelling),
    outbound: readRules(request, body, "outbound", allPortsSpelling),
    dropletIds: [...new Set(integersField(request, body, "droplet_ids"))],
    tags: textsField(request, body, "tags"),
  };
}

function create(request: SimulatorRequest, world: World): SimulatorAnswer {
  const config = checkConfig(request, world, readConfig(request, world));
  return { status: 202, body: { firewall: view(addFirewall(world, config)) } };
}

/** Replaces everything. */
function replace(request: SimulatorRequest, world: World): SimulatorAnswer {
  const firewall = firewallOf(request, world);
  applyConfig(world, firewall, checkConfig(request, world, readConfig(request, world), firewall));
  return { status: 200, body: { firewall: view(firewall) } };
}

export const firewallRoutes: readonly Route<World>[] = [
  {
    method: "GET",
    path: LIST,
    handle: (request, { data }) => page(request, "firewalls", [...data.firewalls.values()].filter(isListed), view),
  },
  { method: "POST", path: LIST, handle: create },
  {
    method: "GET",
    path: ITEM,
    handle: (request, world) => ({ status: 200, body: { firewall: view(firewallOf(request, world)) } }),
  },
  { method: "PUT", path: ITEM, handle: replace },
  {
    method: "DELETE",
    path: ITEM,
    handle: (request, world) => {
      world.data.firewalls.delete(firewallOf(request, world).id);
      return { status: 204 };
    },
  },
  ...firewallMemberRoutes(firewallOf),
];
