/** `/v2/tags`. Only droplets can be tagged here. */

import type { Route } from "../../http/api.js";
import { isObject, type JsonObject } from "../../http/json.js";
import { Refusal, type SimulatorAnswer, type SimulatorRequest } from "../../http/message.js";
import type { DropletData, TagData } from "../data.js";
import { notFound, unprocessable } from "../errors.js";
import { bodyOf, listField, required, textField } from "../fields.js";
import { applyConfig } from "../firewalls/apply-firewall.js";
import { page } from "../pagination.js";
import type { World } from "../world.js";
import { ensureTag, findTag, isTagName, tagDroplet, untagDroplet } from "./tag-store.js";

function tagView(request: SimulatorRequest, { name, dropletIds }: TagData): JsonObject {
  const last = [...dropletIds].at(-1);
  const uri = last === undefined ? {} : { last_tagged_uri: `${request.baseUrl}/v2/droplets/${last}` };
  const droplets = { count: dropletIds.size, ...uri };
  const none = { images: { count: 0 }, volumes: { count: 0 }, volume_snapshots: { count: 0 }, databases: { count: 0 } };
  return { name, resources: { ...droplets, droplets, ...none } };
}

function create(request: SimulatorRequest, world: World): SimulatorAnswer {
  const name = required(request, "name", textField(request, bodyOf(request), "name"));
  if (!isTagName(name)) throw badName(name);
  return { status: 201, body: { tag: tagView(request, ensureTag(world, name)) } };
}

/** The only error of the API with a shape of its own. */
function badName(name: string): Refusal {
  const error = `Error validating resource tag: "${name} contains invalid characters"`;
  const body = { error, messages: null, root_causes: [`rpc error: code = InvalidArgument desc = ${error}`] };
  return new Refusal(error, { status: 400, body });
}

function tagOf(request: SimulatorRequest, world: World): TagData {
  const tag = findTag(world, request.params["tag_id"] ?? "");
  if (tag === undefined) throw notFound(request);
  return tag;
}

function changeEach(request: SimulatorRequest, world: World, change: typeof tagDroplet): SimulatorAnswer {
  const tag = tagOf(request, world);
  for (const droplet of dropletsOf(request, world)) change(world, tag, droplet);
  return { status: 204 };
}

/** Untags everything and leaves the firewalls that covered the tag. */
function destroy(request: SimulatorRequest, world: World): SimulatorAnswer {
  deleteTag(world, tagOf(request, world));
  return { status: 204 };
}

function deleteTag(world: World, tag: TagData): void {
  for (const id of [...tag.dropletIds]) {
    const droplet = world.data.droplets.get(id);
    if (droplet !== undefined) untagDroplet(world, tag, droplet);
  }
  for (const firewall of world.data.firewalls.values()) {
    const { config } = firewall;
    if (!config.tags.includes(tag.name)) continue;
    applyConfig(world, firewall, { ...config, tags: config.tags.filter((name) => name !== tag.name) });
  }
  world.data.tags.delete(tag.name.toLowerCase());
}

/** All of them, or none where one is unknown. */
function dropletsOf(request: SimulatorRequest, { data }: World): readonly DropletData[] {
  return listField(request, bodyOf(request), "resources").map((resource) => {
    if (!isObject(resource)) throw unprocessable(request, "resources must be a list of objects.");
    const type = textField(request, resource, "resource_type") ?? "";
    if (type !== "droplet") throw unprocessable(request, `resource_type ${type} cannot be tagged.`);
    const droplet = data.droplets.get(Number(textField(request, resource, "resource_id")));
    if (droplet === undefined) throw notFound(request);
    return droplet;
  });
}

export const tagRoutes: readonly Route<World>[] = [
  {
    method: "GET",
    path: "/v2/tags",
    handle: (request, { data }) => page(request, "tags", [...data.tags.values()], (tag) => tagView(request, tag)),
  },
  { method: "POST", path: "/v2/tags", handle: create },
  {
    method: "GET",
    path: "/v2/tags/{tag_id}",
    handle: (request, world) => ({ status: 200, body: { tag: tagView(request, tagOf(request, world)) } }),
  },
  { method: "DELETE", path: "/v2/tags/{tag_id}", handle: destroy },
  {
    method: "POST",
    path: "/v2/tags/{tag_id}/resources",
    handle: (request, world) => changeEach(request, world, tagDroplet),
  },
  {
    method: "DELETE",
    path: "/v2/tags/{tag_id}/resources",
    handle: (request, world) => changeEach(request, world, untagDroplet),
  },
];
