/** The address records of both clouds, as they really are. */

import type { SandboxWorld } from "../start-world.js";

export interface RecordSource {
  readonly world: Pick<SandboxWorld, "digitalocean" | "cloudflare">;
  readonly zones: readonly string[];
}

const TYPES = ["A", "AAAA"];

/** Values, sorted, by `A www.example.com (digitalocean)`. */
export function recordSets({ world, zones }: RecordSource): Map<string, readonly string[]> {
  const { digitalocean, cloudflare } = world;
  const sets = new Map<string, string[]>();
  const add = (set: string, value: string) => sets.set(set, [...(sets.get(set) ?? []), value].sort());
  for (const zone of zones) {
    for (const { type, name, data } of digitalocean.state.dns.records(zone)) {
      const full = name === "@" ? zone : `${name}.${zone}`;
      if (TYPES.includes(type)) add(`${type} ${full} (digitalocean)`, data);
    }
    for (const { type, name, content } of cloudflare.records(zone)) {
      if (TYPES.includes(type)) add(`${type} ${name} (cloudflare)`, content);
    }
  }
  return sets;
}
