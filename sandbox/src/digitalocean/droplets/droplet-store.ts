/** The life of a droplet. */

import { endAction, runningActions } from "../actions.js";
import { heldBy, setHolder } from "../addresses/holders.js";
import type { DropletData } from "../data.js";
import { dropFromFirewalls } from "../firewalls/apply-firewall.js";
import { ensureTag, findTag, tagDroplet, untagDroplet } from "../projects/tag-store.js";
import type { World } from "../world.js";

export interface DropletSpec {
  readonly name: string;
  readonly region: string;
  readonly size: string;
  readonly image: string;
  readonly tags: readonly string[];
  readonly ipv6: boolean;
  readonly gpu: boolean;
  /** @default the next one */
  readonly id?: number;
  /** @default one that is free */
  readonly publicIp?: string;
}

/** A droplet of status `new`; tags that are missing are made. */
export function createDroplet(world: World, spec: DropletSpec): DropletData {
  const { numbers, clock, data } = world;
  const { tags, ipv6, ...facts } = spec;
  const droplet: DropletData = {
    ...{ id: numbers.nextDropletId(), publicIp: numbers.dropletIp(), privateIp: numbers.privateIp() },
    ...{ ...facts, status: "new", createdAt: clock.now(), tags: [] },
    publicIpv6: ipv6 ? numbers.dropletIpv6() : null,
  };
  data.droplets.set(droplet.id, droplet);
  for (const name of tags) tagDroplet(world, ensureTag(world, name), droplet);
  return droplet;
}

/**
 * Frees its addresses, leaves firewalls and tags. Its own events and assignments to it error; an address that is on
 * its way to another droplet still arrives there.
 */
export function deleteDroplet(world: World, droplet: DropletData): void {
  for (const action of runningActions(world)) {
    if (action.dropletIds[0] === droplet.id) endAction(world, action, "errored");
  }
  for (const address of heldBy(world, droplet.id)) setHolder(world, address, null);
  for (const name of [...droplet.tags]) {
    const tag = findTag(world, name);
    if (tag !== undefined) untagDroplet(world, tag, droplet);
  }
  dropFromFirewalls(world, droplet.id);
  world.data.droplets.delete(droplet.id);
}
