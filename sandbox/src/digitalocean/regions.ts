/** The regions and sizes that the simulated account sees. */

import type { Route } from "../http/api.js";
import type { JsonObject } from "../http/json.js";
import { page } from "./pagination.js";
import type { World } from "./world.js";

const NAMES: Readonly<Record<string, string>> = {
  ams3: "Amsterdam 3",
  blr1: "Bangalore 1",
  fra1: "Frankfurt 1",
  lon1: "London 1",
  nyc1: "New York 1",
  nyc3: "New York 3",
  sfo3: "San Francisco 3",
  sgp1: "Singapore 1",
  syd1: "Sydney 1",
  tor1: "Toronto 1",
};

/** Slugs, in order. */
export const REGIONS: readonly string[] = Object.keys(NAMES);

interface SizeFacts {
  readonly memory: number;
  readonly vcpus: number;
  readonly disk: number;
  readonly monthly: number;
}

const SIZES: Readonly<Record<string, SizeFacts>> = {
  "s-1vcpu-1gb": { memory: 1024, vcpus: 1, disk: 25, monthly: 6 },
  "s-1vcpu-2gb": { memory: 2048, vcpus: 1, disk: 50, monthly: 12 },
  "s-2vcpu-4gb": { memory: 4096, vcpus: 2, disk: 80, monthly: 24 },
  "s-4vcpu-8gb": { memory: 8192, vcpus: 4, disk: 160, monthly: 48 },
};

const SIZE_SLUGS: readonly string[] = Object.keys(SIZES);
const HOURS_IN_MONTH = 672;

export function regionView(slug: string): JsonObject {
  const features = ["backups", "ipv6", "metadata", "install_agent", "storage", "image_transfer"];
  return { name: NAMES[slug] ?? slug, slug, features, available: true, sizes: [...SIZE_SLUGS] };
}

/** A size that is not known looks like the smallest one. */
export function sizeView(slug: string): JsonObject {
  const { memory, vcpus, disk, monthly } = SIZES[slug] ?? { memory: 1024, vcpus: 1, disk: 25, monthly: 6 };
  const prices = { price_monthly: monthly, price_hourly: monthly / HOURS_IN_MONTH };
  const more = { transfer: vcpus, regions: [...REGIONS], available: true, description: "Basic" };
  return { slug, memory, vcpus, disk, ...prices, ...more, disk_info: diskInfo(disk) };
}

export function diskInfo(gib: number): readonly JsonObject[] {
  return [{ type: "local", size: { amount: gib, unit: "gib" } }];
}

export const regionRoutes: readonly Route<World>[] = [
  { method: "GET", path: "/v2/regions", handle: (request) => page(request, "regions", REGIONS, regionView) },
];
