/** Which droplets a firewall covers, and the changes that take a while to reach them. */

import type { FirewallConfig, FirewallData, PendingChange } from "../data.js";
import type { World } from "../world.js";

/** Droplets named by the firewall and those with one of its tags. */
export function coveredBy({ data }: World, config: FirewallConfig): ReadonlySet<number> {
  const tagged = config.tags.flatMap((name) => [...(data.tags.get(name.toLowerCase())?.dropletIds ?? [])]);
  return new Set([...config.dropletIds, ...tagged]);
}

/** Replaces the configuration; the firewall is `waiting` until every droplet concerned has it. */
export function applyConfig(world: World, firewall: FirewallData, config: FirewallConfig): void {
  const before = coveredBy(world, firewall.config);
  firewall.config = config;
  settleLater(world, firewall, before, true);
}

/** Runs a change of the tag's droplets, and lets it reach the firewalls that cover the tag. */
export function applyTagChange(world: World, tag: string, change: () => void): void {
  const concerned = [...world.data.firewalls.values()].filter(({ config }) => config.tags.includes(tag));
  const before = concerned.map(({ config }) => coveredBy(world, config));
  change();
  for (const [index, firewall] of concerned.entries()) {
    settleLater(world, firewall, before[index] ?? new Set(), false);
  }
}

/** A droplet that is gone needs no change to be applied any more. */
export function dropFromFirewalls({ data }: World, dropletId: number): void {
  for (const firewall of data.firewalls.values()) {
    const { config } = firewall;
    if (config.dropletIds.includes(dropletId)) {
      firewall.config = { ...config, dropletIds: config.dropletIds.filter((id) => id !== dropletId) };
    }
    firewall.pending = firewall.pending.filter((change) => change.dropletId !== dropletId);
  }
}

/** @param allStay whether droplets that stay covered get something new as well (other rules). */
function settleLater(world: World, firewall: FirewallData, before: ReadonlySet<number>, allStay: boolean): void {
  const now = coveredBy(world, firewall.config);
  const changes: PendingChange[] = [];
  for (const dropletId of now) {
    if (allStay || !before.has(dropletId)) changes.push({ dropletId, removing: false });
  }
  for (const dropletId of before) {
    if (!now.has(dropletId)) changes.push({ dropletId, removing: true });
  }
  const fresh = new Set(changes.map(({ dropletId }) => dropletId));
  firewall.pending = [...firewall.pending.filter(({ dropletId }) => !fresh.has(dropletId)), ...changes];
  firewall.status = "waiting";
  world.scheduler.later(world.settings.durations.firewall, () => settle(firewall, changes));
}

function settle(firewall: FirewallData, applied: readonly PendingChange[]): void {
  firewall.pending = firewall.pending.filter((change) => !applied.includes(change));
  if (firewall.pending.length === 0 && firewall.status === "waiting") firewall.status = "succeeded";
}
