/** `/v2/firewalls/{id}/droplets`, `/tags` and `/rules`: additions and removals that leave the rest alone. */

import type { Handler, Route } from "../../http/api.js";
import type { JsonObject } from "../../http/json.js";
import type { SimulatorRequest } from "../../http/message.js";
import type { FirewallConfig, FirewallData } from "../data.js";
import { unprocessable } from "../errors.js";
import { bodyOf, integersField, textsField } from "../fields.js";
import type { World } from "../world.js";
import { applyConfig } from "./apply-firewall.js";
import { readRules, withoutRules, withRules } from "./firewall-rules.js";
import { checkConfig } from "./firewall-store.js";

type Find = (request: SimulatorRequest, world: World) => FirewallData;
type Change = (request: SimulatorRequest, world: World, config: FirewallConfig) => FirewallConfig;

function demand(request: SimulatorRequest, field: string): JsonObject {
  const body = bodyOf(request);
  if (body[field] === undefined) throw unprocessable(request, `${field} is required.`);
  return body;
}

const addDroplets: Change = (request, _, config) => {
  const ids = integersField(request, demand(request, "droplet_ids"), "droplet_ids");
  return { ...config, dropletIds: [...new Set([...config.dropletIds, ...ids])] };
};

const removeDroplets: Change = (request, _, config) => {
  const ids = integersField(request, demand(request, "droplet_ids"), "droplet_ids");
  return { ...config, dropletIds: config.dropletIds.filter((id) => !ids.includes(id)) };
};

const addTags: Change = (request, _, config) => {
  const tags = textsField(request, demand(request, "tags"), "tags");
  return { ...config, tags: [...new Set([...config.tags, ...tags])] };
};

const removeTags: Change = (request, _, config) => {
  const gone = textsField(request, demand(request, "tags"), "tags").map((name) => name.toLowerCase());
  return { ...config, tags: config.tags.filter((name) => !gone.includes(name.toLowerCase())) };
};

const changeRules =
  (change: typeof withRules): Change =>
  (request, { settings }, config) => {
    const body = bodyOf(request);
    if (body["inbound_rules"] === undefined && body["outbound_rules"] === undefined) {
      throw unprocessable(request, "inbound_rules or outbound_rules is required.");
    }
    const { allPortsSpelling } = settings.switches;
    return {
      ...config,
      inbound: change(config.inbound, readRules(request, body, "inbound", allPortsSpelling)),
      outbound: change(config.outbound, readRules(request, body, "outbound", allPortsSpelling)),
    };
  };

/** @param find the firewall that the route names. */
export function firewallMemberRoutes(find: Find): readonly Route<World>[] {
  const handler =
    (change: Change): Handler<World> =>
    (request, world) => {
      const firewall = find(request, world);
      const config = change(request, world, firewall.config);
      applyConfig(world, firewall, checkConfig(request, world, config, firewall));
      return { status: 204 };
    };
  const pair = (part: string, add: Change, remove: Change): readonly Route<World>[] => [
    { method: "POST", path: `/v2/firewalls/{firewall_id}/${part}`, handle: handler(add) },
    { method: "DELETE", path: `/v2/firewalls/{firewall_id}/${part}`, handle: handler(remove) },
  ];
  return [
    ...pair("droplets", addDroplets, removeDroplets),
    ...pair("tags", addTags, removeTags),
    ...pair("rules", changeRules(withRules), changeRules(withoutRules)),
  ];
}
