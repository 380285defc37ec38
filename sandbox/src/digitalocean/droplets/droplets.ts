/** `/v2/droplets`. */

import type { Route } from "../../http/api.js";
import type { JsonObject } from "../../http/json.js";
import type { SimulatorAnswer, SimulatorRequest } from "../../http/message.js";
import { actionLink, startAction } from "../actions.js";
import type { ActionData, DropletData } from "../data.js";
import { notFound, unprocessable } from "../errors.js";
import { bodyOf, booleanField, required, textField, textsField } from "../fields.js";
import { page } from "../pagination.js";
import { findTag } from "../projects/tag-store.js";
import { REGIONS } from "../regions.js";
import type { World } from "../world.js";
import { createDroplet, type DropletSpec, deleteDroplet } from "./droplet-store.js";
import { dropletView } from "./droplet-view.js";

/** The droplet that the route names; 404 where there is none. */
export function findDroplet(request: SimulatorRequest, { data }: World): DropletData {
  const droplet = data.droplets.get(Number(request.params["droplet_id"]));
  if (droplet === undefined) throw notFound(request);
  return droplet;
}

/** Filters: `tag_name`, `name`; GPU droplets only with `type=gpus`, and nothing else then. */
function list(request: SimulatorRequest, world: World): SimulatorAnswer {
  const { query } = request;
  const tag = query.get("tag_name");
  const name = query.get("name");
  const gpus = query.get("type") === "gpus";
  const tagged = tag === null ? undefined : (findTag(world, tag)?.dropletIds ?? new Set());
  const droplets = [...world.data.droplets.values()].filter(
    (droplet) =>
      (tagged === undefined || tagged.has(droplet.id)) &&
      (name === null || droplet.name.toLowerCase() === name.toLowerCase()) &&
      droplet.gpu === gpus,
  );
  return page(request, "droplets", droplets, (droplet) => dropletView(world, droplet));
}

function create(request: SimulatorRequest, world: World): SimulatorAnswer {
  const body = bodyOf(request);
  const many = body["names"] !== undefined;
  if (many && body["name"] !== undefined) throw unprocessable(request, "Specify either name or names, not both.");
  const names = many
    ? textsField(request, body, "names")
    : [required(request, "name", textField(request, body, "name"))];
  const specs = names.map((name) => specOf(request, body, name));
  const { account, droplets } = world.data;
  if (droplets.size + specs.length > account.dropletLimit) {
    throw unprocessable(request, "creating this/these droplet(s) will exceed your droplet limit");
  }
  const made = specs.map((spec) => {
    const droplet = createDroplet(world, spec);
    return { droplet, action: startCreation(world, droplet) };
  });
  const views = made.map(({ droplet }) => dropletView(world, droplet));
  const links = { actions: made.map(({ action }) => actionLink(request, action)) };
  return { status: 202, body: many ? { droplets: views, links } : { droplet: views[0] ?? null, links } };
}

function specOf(request: SimulatorRequest, body: JsonObject, name: string): DropletSpec {
  const region = textField(request, body, "region") ?? "nyc3";
  if (!REGIONS.includes(region)) throw unprocessable(request, `Region ${region} is not available.`);
  const size = required(request, "size", textField(request, body, "size"));
  const image = String(required(request, "image", body["image"]));
  const ipv6 = booleanField(request, body, "ipv6") ?? false;
  return { name, region, size, image, ipv6, tags: textsField(request, body, "tags"), gpu: size.startsWith("gpu-") };
}

/** The event during which a new droplet can't be used yet. */
export function startCreation(world: World, droplet: DropletData): ActionData {
  const { id, region } = droplet;
  return startAction(
    world,
    {
      ...{ type: "create", resourceId: id, resourceType: "droplet", region, dropletIds: [id] },
      ms: world.settings.durations.create,
    },
    () => {
      droplet.status = "active";
    },
  );
}

function destroyTagged(request: SimulatorRequest, world: World): SimulatorAnswer {
  const name = request.query.get("tag_name");
  if (name === null || name === "") throw unprocessable(request, "tag_name is required.");
  const ids = findTag(world, name)?.dropletIds ?? new Set<number>();
  for (const id of [...ids]) {
    const droplet = world.data.droplets.get(id);
    if (droplet !== undefined) deleteDroplet(world, droplet);
  }
  return { status: 204 };
}

export const dropletRoutes: readonly Route<World>[] = [
  { method: "GET", path: "/v2/droplets", handle: list },
  { method: "POST", path: "/v2/droplets", handle: create },
  { method: "DELETE", path: "/v2/droplets", handle: destroyTagged },
  {
    method: "GET",
    path: "/v2/droplets/{droplet_id}",
    handle: (request, world) => ({
      status: 200,
      body: { droplet: dropletView(world, findDroplet(request, world)) },
    }),
  },
  {
    method: "DELETE",
    path: "/v2/droplets/{droplet_id}",
    handle: (request, world) => {
      deleteDroplet(world, findDroplet(request, world));
      return { status: 204 };
    },
  },
];
