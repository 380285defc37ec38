/** Tags and what carries them. The name as first written is the tag's name, whatever case is used later. */

import type { DropletData, TagData } from "../data.js";
import { applyTagChange } from "../firewalls/apply-firewall.js";
import type { World } from "../world.js";

/** Letters, digits, colons, dashes and underscores, 255 at most. */
export function isTagName(name: string): boolean {
  return /^[a-zA-Z0-9_\-:]{1,255}$/.test(name);
}

export function findTag({ data }: World, name: string): TagData | undefined {
  return data.tags.get(name.toLowerCase());
}

/** The tag of this name, made where there is none. */
export function ensureTag(world: World, name: string): TagData {
  const known = findTag(world, name);
  if (known !== undefined) return known;
  const tag: TagData = { name, dropletIds: new Set() };
  world.data.tags.set(name.toLowerCase(), tag);
  return tag;
}

/** Firewalls that cover the tag cover the droplet from now on. */
export function tagDroplet(world: World, tag: TagData, droplet: DropletData): void {
  if (tag.dropletIds.has(droplet.id)) return;
  applyTagChange(world, tag.name, () => {
    tag.dropletIds.add(droplet.id);
    droplet.tags.push(tag.name);
  });
}

export function untagDroplet(world: World, tag: TagData, droplet: DropletData): void {
  applyTagChange(world, tag.name, () => {
    tag.dropletIds.delete(droplet.id);
    droplet.tags = droplet.tags.filter((name) => name !== tag.name);
  });
}
