/**
 * The simulated account from behind: what a person does in the control panel, what breaks in the data centre, and how
 * things really are. Nothing here passes the API's checks or counts as a call.
 */

import { endAction, runningActions } from "./actions.js";
import { addAddress, findIpv4, findIpv6, listAddresses } from "./addresses/address-store.js";
import { addPrefix } from "./addresses/byoip.js";
import { removeAddress, setHolder } from "./addresses/holders.js";
import type { AccountData, ActionData, AddressData, DropletData, DropletStatus } from "./data.js";
import { DnsControl } from "./domains/dns-control.js";
import { startEvent } from "./droplets/droplet-actions.js";
import { createDroplet, deleteDroplet } from "./droplets/droplet-store.js";
import { startCreation } from "./droplets/droplets.js";
import { FirewallControl } from "./firewalls/firewall-control.js";
import { ensureTag, tagDroplet, untagDroplet } from "./projects/tag-store.js";
import type { Settings } from "./settings.js";
import type { ActionFailure, World } from "./world.js";

export interface NewDroplet {
  /** As in the provider id of a node, `digitalocean://<id>`. @default the next one */
  readonly id?: number;
  /** Its own public address, a node's ExternalIP. @default one that is free */
  readonly publicIp?: string;
  /** @default node-1, node-2, ... */
  readonly name?: string;
  /** @default nyc3 */
  readonly region?: string;
  /** `new` starts the create event, which makes it active in its time. @default active */
  readonly status?: DropletStatus;
  /** Made where missing. @default none */
  readonly tags?: readonly string[];
  /** Whether it has an IPv6 address of its own. @default true */
  readonly ipv6?: boolean;
}

export interface NewReservedAddress {
  /** @default nyc3, or the droplet's */
  readonly region?: string;
  /** @default one that is free */
  readonly ip?: string;
  /** Holder from the start. @default none */
  readonly dropletId?: number;
  /** @default ipv4 */
  readonly family?: AddressData["family"];
  readonly projectId?: string;
}

const DEFAULT_REGION = "nyc3";
const USUAL_DROPLET = {
  ...{ region: DEFAULT_REGION, size: "s-2vcpu-4gb", image: "debian-12-x64" },
  ...{ tags: [], ipv6: true, gpu: false },
};

export class AccountControl {
  readonly dns: DnsControl;
  readonly firewalls: FirewallControl;
  private droplets = 0;

  constructor(private readonly world: World) {
    this.dns = new DnsControl(world);
    this.firewalls = new FirewallControl(world);
  }

  /** Durations, limits and switches: may be changed at any time. */
  get settings(): Settings {
    return this.world.settings;
  }

  /** Limits and status of the account: may be changed at any time. */
  get account(): AccountData {
    return this.world.data.account;
  }

  /** Throws for an id that the account has. */
  addDroplet({ status = "active", ...requested }: NewDroplet = {}): DropletData {
    const { id } = requested;
    if (id !== undefined && this.world.data.droplets.has(id)) {
      throw new Error(`the account has droplet ${id} already: choose another id`);
    }
    const droplet = createDroplet(this.world, { name: `node-${++this.droplets}`, ...USUAL_DROPLET, ...requested });
    if (status === "new") startCreation(this.world, droplet);
    else droplet.status = status;
    return droplet;
  }

  /** As a deletion through the API does. */
  deleteDroplet(id: number): void {
    deleteDroplet(this.world, this.droplet(id));
  }

  /** At once, without an event. */
  setDropletStatus(id: number, status: DropletStatus): void {
    this.droplet(id).status = status;
  }

  /** Keeps the droplet busy. @param type @default power_cycle @param ms @default the settings' */
  startEvent(id: number, type = "power_cycle", ms?: number): ActionData {
    return startEvent(this.world, this.droplet(id), type, ms);
  }

  tagDroplet(id: number, tag: string): void {
    tagDroplet(this.world, ensureTag(this.world, tag), this.droplet(id));
  }

  untagDroplet(id: number, tag: string): void {
    untagDroplet(this.world, ensureTag(this.world, tag), this.droplet(id));
  }

  /** In the order of creation. */
  listDroplets(): readonly DropletData[] {
    return [...this.world.data.droplets.values()];
  }

  /** Throws for an id that is unknown. */
  droplet(id: number): DropletData {
    const droplet = this.world.data.droplets.get(id);
    if (droplet === undefined) throw new Error(`there is no droplet ${id}: add it first`);
    return droplet;
  }

  /** Reserves an address beyond all limits. Throws for one that the account has. */
  addAddress({ dropletId, family = "ipv4", ...requested }: NewReservedAddress = {}): AddressData {
    const holder = dropletId === undefined ? undefined : this.droplet(dropletId);
    const { region = holder?.region ?? DEFAULT_REGION, projectId = this.account.uuid } = requested;
    const address = addAddress(this.world, { family, region, ip: this.freeIp(family, requested.ip), projectId });
    if (holder !== undefined) this.setHolder(address.ip, holder.id);
    return address;
  }

  private freeIp(family: AddressData["family"], requested: string | undefined): string {
    const { data, numbers } = this.world;
    if (requested === undefined) return family === "ipv4" ? numbers.reservedIp() : numbers.reservedIpv6();
    if (data.addresses.has(requested)) throw new Error(`the account has ${requested} already: choose another`);
    return requested;
  }

  /** Moves an address at once, as a person behind the operator's back. */
  setHolder(ip: string, dropletId: number | null): void {
    if (dropletId !== null) this.droplet(dropletId);
    setHolder(this.world, this.address(ip), dropletId);
  }

  /** Deletes an address at once; what runs on it errors. */
  removeAddress(ip: string): void {
    this.abortActions(ip);
    removeAddress(this.world, this.address(ip));
  }

  /** Also one of a BYOIP prefix. Throws for one that is unknown. */
  address(ip: string): AddressData {
    const address = findIpv4(this.world, ip) ?? findIpv6(this.world, ip);
    if (address === undefined) throw new Error(`the account has no address ${ip}: add it, or a prefix around it`);
    return address;
  }

  /** All reserved ones, of both families; BYOIP addresses are not among them. */
  addresses(): readonly AddressData[] {
    return [...listAddresses(this.world, "ipv4"), ...listAddresses(this.world, "ipv6")];
  }

  /** An active prefix: `203.0.113.0/24`. All its addresses except the first two can be assigned at once. */
  addByoipPrefix(prefix: string, region = DEFAULT_REGION): string {
    return addPrefix(this.world, { prefix, region, status: "active" }).uuid;
  }

  /** The next actions that match end errored, in their time. @param match @default the next action of any kind */
  failActions(match: Partial<ActionFailure> = {}): void {
    this.world.failures.push({ times: 1, ...match });
  }

  /** Ends what runs on an address as errored, at once. */
  abortActions(ip: string): void {
    for (const action of runningActions(this.world)) {
      if (action.ip === ip) endAction(this.world, action, "errored");
    }
  }

  /** Throws for an id that is unknown. */
  action(id: number): ActionData {
    const action = this.world.data.actions.get(id);
    if (action === undefined) throw new Error(`there is no action ${id}`);
    return action;
  }

  get runningActions(): readonly ActionData[] {
    return runningActions(this.world);
  }
}
