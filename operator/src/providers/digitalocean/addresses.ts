/** Reserved IPv4 and IPv6 addresses, and addresses of the account's own ranges. */

import { canonicalIp, familyOf } from "cdk8s-flipop/api";
import { REMEDIES, type Remedy } from "../../messages/failed-calls.js";
import { DIGITALOCEAN_ADDRESSES } from "../address-capabilities.js";
import { CALL, type CallContext } from "../call.js";
import type { OncePerToken } from "../credentials.js";
import { isProviderError, ProviderError } from "../errors.js";
import type { Answer } from "../http.js";
import type {
  ActionFacts,
  ActionRef,
  AddressFacts,
  AddressProvider,
  AssignAddress,
  CreateAddress,
  CreateOutcome,
  LatestAction,
  ListAddresses,
  MachineState,
  ProviderId,
  UnassignAddress,
} from "../types.js";
import { type AddressChange, changeHolder, readAction, readLatestAction } from "./address-actions.js";
import { addressPath, listBorrowed, routesOf } from "./address-kinds.js";
import { DIGITALOCEAN, type DigitalOceanClient } from "./client.js";
import {
  DropletScope,
  dropletIdOf,
  findDroplet,
  hiddenHolder,
  listDroplets,
  readDropletAddresses,
} from "./droplets.js";
import { interpretRefusedCreation, interpretRefusedRelease, isUnprocessable } from "./unprocessable.js";

export class DigitalOceanAddresses implements AddressProvider {
  readonly name = DIGITALOCEAN;
  readonly capabilities = DIGITALOCEAN_ADDRESSES;
  private readonly scope: DropletScope;

  constructor(
    private readonly client: DigitalOceanClient,
    private readonly account: OncePerToken<string>,
  ) {
    this.scope = new DropletScope(client);
  }

  accountKey(context: CallContext): Promise<string> {
    return this.account.read(context);
  }

  async list(context: CallContext, { family, named }: ListAddresses): Promise<readonly AddressFacts[]> {
    const routes = routesOf(family);
    if (family === "IPv6") await this.scope.check(context);
    const subject = `list ${family} addresses`;
    const reserved = await this.client.list(context, {
      call: CALL.listAddresses,
      subject,
      path: routes.collection,
      key: routes.listKey,
      read: (item) => routes.read(item, subject),
      identify: ({ ip }) => ip,
    });
    if (family === "IPv4" && !reserved.some(isHeld)) await this.checkUnheld(context, reserved, subject);
    const known = new Set(reserved.map(({ ip }) => ip));
    const missing = named.map(canonicalIp).filter((ip) => familyOf(ip) === family && !known.has(ip));
    return [...reserved, ...(await listBorrowed(this.client, context, missing))];
  }

  async get(context: CallContext, ip: string): Promise<AddressFacts | undefined> {
    const family = familyOf(ip);
    if (family === "IPv6") await this.scope.check(context);
    const routes = routesOf(family);
    const subject = `read address ${ip}`;
    const request = { call: CALL.getAddress, subject, method: "GET", path: addressPath(ip) } as const;
    try {
      return await this.client.request(context, request, (answer) => routes.read(answer.at(routes.itemKey), subject));
    } catch (error) {
      if (isProviderError(error, "NotFound")) return undefined;
      throw error;
    }
  }

  async create(context: CallContext, desired: CreateAddress): Promise<CreateOutcome> {
    const node = "node" in desired ? desired.node : undefined;
    const subject = `create an ${desired.family} address ${"node" in desired ? `on ${desired.node}` : `in ${desired.region}`}`;
    if (node !== undefined && desired.family === "IPv6") throw notOnNode(subject);
    const routes = routesOf(desired.family);
    const request = { call: CALL.createAddress, subject, method: "POST", path: routes.collection } as const;
    const body = routes.createBody(desired);
    try {
      return await this.client.request(context, { ...request, ...routes.creations, body }, (answer) =>
        readCreated(answer, desired, subject),
      );
    } catch (error) {
      if (isUnprocessable(error)) throw await interpretRefusedCreation(this.client, context, { error, node });
      if (isProviderError(error) && error.outcome === "unknown") return { kind: "unknown", error };
      throw error;
    }
  }

  async release(context: CallContext, ip: string): Promise<void> {
    const subject = `release ${ip}`;
    const address = await this.get(context, ip);
    // The API would take an address in use away without a word. A read may not find a new address yet; the call does.
    if (address?.holder !== undefined) throw held(subject, address.holder, "unassign it first");
    try {
      const request = { call: CALL.releaseAddress, subject, method: "DELETE", path: addressPath(ip) } as const;
      await this.client.send(context, { ...request, repeatable: true });
    } catch (error) {
      if (isProviderError(error, "NotFound")) return;
      throw isUnprocessable(error) ? interpretRefusedRelease(error, await this.get(context, ip)) : error;
    }
  }

  assign(context: CallContext, { ip, node }: AssignAddress): Promise<ActionFacts> {
    return this.change(context, { ip, wanted: node });
  }

  async unassign(context: CallContext, { ip, from }: UnassignAddress): Promise<ActionFacts> {
    const address = await this.get(context, ip);
    if (address !== undefined && address.holder === undefined && address.action === undefined) {
      return { id: "", ip, state: "completed" };
    }
    if (address?.holder !== undefined && address.holder !== from) {
      throw held(`unassign ${ip} from ${from}`, address.holder, REMEDIES.Conflict);
    }
    return this.change(context, { ip, wanted: undefined });
  }

  async action(context: CallContext, ref: ActionRef, expected: ProviderId | undefined): Promise<ActionFacts> {
    const { ip, id } = ref;
    if (id === "") return this.byHolder(context, ref, expected);
    const subject = `read action ${id} of ${ip}`;
    const path = routesOf(familyOf(ip)).actionPath(ref);
    try {
      return await this.client.request(context, { call: CALL.action, subject, method: "GET", path }, (answer) =>
        readAction(answer.at("action"), ip),
      );
    } catch (error) {
      // Actions on borrowed addresses are never found, and old ones are forgotten.
      if (isProviderError(error, "NotFound")) return this.byHolder(context, ref, expected);
      throw error;
    }
  }

  latestAction(context: CallContext, ip: string): Promise<LatestAction | undefined> {
    return readLatestAction(this.client, context, ip);
  }

  async machineState(context: CallContext, machine: ProviderId): Promise<MachineState | undefined> {
    const droplet = await findDroplet(this.client, context, dropletIdOf(machine));
    if (droplet === undefined) return undefined;
    return droplet.status === "off" ? "off" : "on";
  }

  /** A list without any holder counts if the droplets agree; else the address may have been assigned meanwhile. */
  private async checkUnheld(context: CallContext, listed: readonly AddressFacts[], subject: string): Promise<void> {
    if (listed.length === 0) return;
    const ips = new Set(listed.map(({ ip }) => ip));
    for (const { id, publicIpv4 } of await this.dropletAddresses(context)) {
      const ip = publicIpv4.find((address) => ips.has(address));
      const facts = ip === undefined ? undefined : await this.get(context, ip);
      if (facts !== undefined && !isHeld(facts) && facts.action === undefined)
        throw hiddenHolder(subject, id, facts.ip);
    }
  }

  /** None if they cannot be read: then nothing contradicts the list. Only a token without the right to read them casts doubt on it. */
  private async dropletAddresses(context: CallContext): Promise<readonly ReturnType<typeof readDropletAddresses>[]> {
    try {
      return await listDroplets(this.client, context, readDropletAddresses);
    } catch (error) {
      if (!isProviderError(error) || isProviderError(error, "Unauthorized")) throw error;
      return [];
    }
  }

  private change(context: CallContext, change: AddressChange): Promise<ActionFacts> {
    return changeHolder({ client: this.client, read: (ip) => this.get(context, ip) }, context, change);
  }

  /** Not there yet and not locked: it may not have begun; whoever asks has a deadline. */
  private async byHolder(context: CallContext, { ip, id }: ActionRef, expected: ProviderId | undefined) {
    const address = await this.get(context, ip);
    if (address === undefined) return { id, ip, state: "errored", message: "the address is gone", gone: true } as const;
    const there = address.holder === expected && address.action === undefined;
    return { id, ip, state: there ? "completed" : "in-progress" } as const;
  }
}

function isHeld({ holder }: AddressFacts): boolean {
  return holder !== undefined;
}

function readCreated(answer: Answer, desired: CreateAddress, subject: string): CreateOutcome {
  const routes = routesOf(desired.family);
  const address = routes.read(answer.at(routes.itemKey), subject);
  const links = answer.at("links");
  const actions = links.empty ? links : links.at("actions");
  const [first] = actions.empty ? [] : actions.items();
  if (!("node" in desired)) return { kind: "created", address };
  const id = first === undefined ? "" : String(first.at("id").natural());
  return { kind: "created", address, action: { id, ip: address.ip, state: "in-progress" } };
}

function held(subject: string, holder: ProviderId, remedy: Remedy): ProviderError {
  return new ProviderError({
    kind: "Conflict",
    where: `${DIGITALOCEAN}: ${subject}`,
    seen: `it is held by ${holder}`,
    remedy,
    outcome: "refused",
    reason: "HeldElsewhere",
  });
}

function notOnNode(subject: string): ProviderError {
  return new ProviderError({
    kind: "Terminal",
    where: `${DIGITALOCEAN}: ${subject}`,
    seen: "the API creates IPv6 addresses by region only",
    remedy: "create it in the node's region, then assign it",
    outcome: "not-sent",
  });
}
