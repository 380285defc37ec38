/** Firewalls: made, checked against the limits, put back by DigitalOcean where they are its own. */

import type { SimulatorRequest } from "../../http/message.js";
import type { FirewallConfig, FirewallData } from "../data.js";
import { refusal, unprocessable } from "../errors.js";
import { findTag } from "../projects/tag-store.js";
import type { World } from "../world.js";
import { applyConfig } from "./apply-firewall.js";

const MAX_RULES = 50;
const MAX_DROPLETS = 10;
const MAX_TAGS = 5;
/** DigitalOcean's Kubernetes puts its own firewalls back that often. */
const REVERT_EVERY_MS = 300_000;

const EMPTY: FirewallConfig = { name: "", inbound: [], outbound: [], dropletIds: [], tags: [] };

export const FIREWALL_MESSAGES = {
  duplicateName: "duplicate name",
  badName: "name must begin with an alphanumeric character, followed by alphanumeric characters, periods or dashes",
  noRules: "must have at least one rule",
  noDroplet: "droplet not found",
  noTag: "tag does not exist",
} as const;

export function addFirewall(world: World, config: FirewallConfig, managed = false): FirewallData {
  const firewall: FirewallData = {
    ...{ id: world.numbers.uuid(), createdAt: world.clock.now(), config: EMPTY, status: "waiting", pending: [] },
    managed: managed ? config : null,
  };
  world.data.firewalls.set(firewall.id, firewall);
  applyConfig(world, firewall, config);
  if (managed) revertRegularly(world, firewall);
  return firewall;
}

/** Undoes what others changed, and their deletion, every five minutes. */
function revertRegularly(world: World, firewall: FirewallData): void {
  world.scheduler.later(REVERT_EVERY_MS, () => {
    if (firewall.managed === null) return;
    world.data.firewalls.set(firewall.id, firewall);
    if (firewall.config !== firewall.managed) applyConfig(world, firewall, firewall.managed);
    revertRegularly(world, firewall);
  });
}

/** Throws where the configuration can't be; tags get their names as they were created. */
export function checkConfig(
  request: SimulatorRequest,
  world: World,
  config: FirewallConfig,
  self?: FirewallData,
): FirewallConfig {
  checkName(request, world, config.name, self);
  checkLimits(request, config);
  const unknown = config.dropletIds.find((id) => !world.data.droplets.has(id));
  if (unknown !== undefined) throw unprocessable(request, `${FIREWALL_MESSAGES.noDroplet}: ${unknown}`);
  const canonical = (name: string) => {
    const tag = findTag(world, name);
    if (tag === undefined) throw unprocessable(request, `${FIREWALL_MESSAGES.noTag}: ${name}`);
    return tag.name;
  };
  for (const { target } of [...config.inbound, ...config.outbound]) target.tags?.forEach(canonical);
  return { ...config, tags: [...new Set(config.tags.map(canonical))] };
}

function checkName(request: SimulatorRequest, { data }: World, name: string, self?: FirewallData): void {
  if (!/^[a-zA-Z0-9][a-zA-Z0-9.-]+$/.test(name)) throw unprocessable(request, FIREWALL_MESSAGES.badName);
  const taken = [...data.firewalls.values()].some((other) => other !== self && other.config.name === name);
  if (taken) throw refusal(request, 409, FIREWALL_MESSAGES.duplicateName);
}

function checkLimits(request: SimulatorRequest, { inbound, outbound, dropletIds, tags }: FirewallConfig): void {
  const rules = inbound.length + outbound.length;
  if (rules === 0) throw unprocessable(request, FIREWALL_MESSAGES.noRules);
  const counts = [
    ["rules", rules, MAX_RULES],
    ["droplets", dropletIds.length, MAX_DROPLETS],
    ["tags", tags.length, MAX_TAGS],
  ] as const;
  for (const [what, count, most] of counts) {
    if (count > most) throw unprocessable(request, `must have no more than ${most} ${what}`);
  }
}
