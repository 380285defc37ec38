/** A droplet as the API shows it. */

import type { JsonObject } from "../../http/json.js";
import { runningActions } from "../actions.js";
import { heldBy } from "../addresses/holders.js";
import type { DropletData } from "../data.js";
import { diskInfo, REGIONS, regionView, sizeView } from "../regions.js";
import { timestamp } from "../time.js";
import type { World } from "../world.js";

const VPC_UUID = "760e09ef-dc84-4e8a-981e-3cfdfeaae000";
const IMAGE_SINCE = Date.UTC(2024, 4, 15);

/** With the reserved IPv4 address that it holds as a second public network, behind its own. */
export function dropletView(world: World, droplet: DropletData): JsonObject {
  const { id, name, status, createdAt, region, tags, size } = droplet;
  const shape = sizeView(size);
  return {
    ...{ id, name, memory: shape["memory"] ?? 0, vcpus: shape["vcpus"] ?? 0, disk: shape["disk"] ?? 0 },
    ...{ disk_info: diskInfo(Number(shape["disk"])), locked: hasOwnEvent(world, id), status, kernel: null },
    created_at: timestamp(createdAt),
    ...{ features: features(droplet), backup_ids: [], next_backup_window: null, snapshot_ids: [], volume_ids: [] },
    ...{ image: imageView(droplet.image), size: shape, size_slug: size, networks: networks(world, droplet) },
    ...{ region: regionView(region), tags: [...tags], vpc_uuid: VPC_UUID },
  };
}

/** Own events lock a droplet; an address that comes or goes does not. */
function hasOwnEvent(world: World, id: number): boolean {
  return runningActions(world).some((action) => action.resourceType === "droplet" && action.resourceId === id);
}

function features({ publicIpv6 }: DropletData): readonly string[] {
  return ["droplet_agent", "private_networking", ...(publicIpv6 === null ? [] : ["ipv6"])];
}

function networks(world: World, droplet: DropletData): JsonObject {
  if (droplet.status === "new") return { v4: [], v6: [] };
  const reserved = heldBy(world, droplet.id).filter(({ family }) => family === "ipv4");
  return {
    v4: [
      { ip_address: droplet.privateIp, netmask: "255.255.0.0", gateway: "nil", type: "private" },
      publicNetwork(droplet.publicIp),
      ...reserved.map(({ ip }) => publicNetwork(ip)),
    ],
    v6: droplet.publicIpv6 === null ? [] : [ipv6Network(droplet.publicIpv6)],
  };
}

function publicNetwork(ip: string): JsonObject {
  return { ip_address: ip, netmask: "255.255.240.0", gateway: ip.replace(/\.\d+$/, ".1"), type: "public" };
}

function ipv6Network(ip: string): JsonObject {
  return { ip_address: ip, netmask: 64, gateway: "2001:db8:1::1", type: "public" };
}

function imageView(slug: string): JsonObject {
  return {
    ...{ id: 129211873, name: "12 x64", type: "base", distribution: "Debian", slug, public: true },
    ...{ regions: [...REGIONS], created_at: timestamp(IMAGE_SINCE), min_disk_size: 7, size_gigabytes: 0.44 },
    ...{ description: "Debian 12 Image", tags: [], status: "available", error_message: "" },
  };
}
