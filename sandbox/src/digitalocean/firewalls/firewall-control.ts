/** Firewalls from behind: no checks, no calls. */

import type { FirewallConfig, FirewallData } from "../data.js";
import type { World } from "../world.js";
import { applyConfig, coveredBy } from "./apply-firewall.js";
import { addFirewall } from "./firewall-store.js";

export class FirewallControl {
  constructor(private readonly world: World) {}

  /** A person's firewall. What is left out is empty. */
  add(config: Partial<FirewallConfig> & { readonly name: string }): FirewallData {
    return addFirewall(this.world, { ...EMPTY, ...config });
  }

  /** A firewall of DigitalOcean's Kubernetes: put back every 5 minutes. Throws unless its name starts with `k8s-`. */
  addManaged(config: Partial<FirewallConfig> & { readonly name: string }): FirewallData {
    if (!config.name.startsWith("k8s-")) throw new Error(`"${config.name}" is no managed firewall: call it k8s-...`);
    return addFirewall(this.world, { ...EMPTY, ...config }, true);
  }

  /** Changes a firewall behind the operator's back. */
  change(id: string, change: Partial<FirewallConfig>): void {
    const firewall = this.get(id);
    applyConfig(this.world, firewall, { ...firewall.config, ...change });
  }

  /** A person deletes it. */
  remove(id: string): void {
    this.world.data.firewalls.delete(this.get(id).id);
  }

  /** Lists lag behind: the next ones leave it out. */
  unlist(id: string, lists = 1): void {
    this.get(id).unlisted = lists;
  }

  /** The changes under way don't reach the droplets: status `failed` until the next change. */
  fail(id: string): void {
    this.get(id).status = "failed";
  }

  /** Throws for an id that is unknown. */
  get(id: string): FirewallData {
    const firewall = this.world.data.firewalls.get(id);
    if (firewall === undefined) throw new Error(`there is no firewall ${id}: add it first`);
    return firewall;
  }

  /** Oldest first. */
  all(): readonly FirewallData[] {
    return [...this.world.data.firewalls.values()];
  }

  byName(name: string): FirewallData | undefined {
    return [...this.world.data.firewalls.values()].find(({ config }) => config.name === name);
  }

  /** Ids of the droplets that a firewall covers, by itself or by a tag. */
  covered(id: string): readonly number[] {
    return [...coveredBy(this.world, this.get(id).config)];
  }
}

const EMPTY = { inbound: [], outbound: [], dropletIds: [], tags: [] };
