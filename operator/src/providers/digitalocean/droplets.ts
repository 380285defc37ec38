/** Droplets: nodes as DigitalOcean sees them. */

import { DROPLET_ID, PROVIDER_ID_SCHEME } from "../address-capabilities.js";
import { CALL, type CallContext } from "../call.js";
import { OncePerToken } from "../credentials.js";
import { isProviderError, ProviderError } from "../errors.js";
import type { Answer } from "../http.js";
import type { ProviderId } from "../types.js";
import { DIGITALOCEAN, type DigitalOceanClient } from "./client.js";

/** What this project needs of a droplet. */
export interface Droplet {
  readonly id: number;
  readonly region: string;
  readonly status: string;
  /** It runs an event. */
  readonly locked: boolean;
  readonly tags: readonly string[];
  /** Public addresses, its own and a reserved one. */
  readonly publicIpv4: readonly string[];
}

/** `undefined`: it does not exist (any more). */
export async function findDroplet(
  client: DigitalOceanClient,
  context: CallContext,
  id: number,
): Promise<Droplet | undefined> {
  const request = {
    call: CALL.getNode,
    subject: `read droplet ${id}`,
    method: "GET",
    path: `/v2/droplets/${id}`,
  } as const;
  try {
    return await client.request(context, request, (answer) => readDroplet(answer.at("droplet")));
  } catch (error) {
    if (isProviderError(error, "NotFound")) return undefined;
    throw error;
  }
}

/** All droplets of the account, as `read` understands them. */
export function listDroplets<T extends Pick<Droplet, "id">>(
  client: DigitalOceanClient,
  context: CallContext,
  read: (droplet: Answer) => T,
): Promise<readonly T[]> {
  const request = { call: CALL.getNode, subject: "list droplets", path: "/v2/droplets", key: "droplets" } as const;
  return client.list(context, { ...request, read, identify: ({ id }) => `${id}` });
}

export function providerIdOf(dropletId: number): ProviderId {
  return `${PROVIDER_ID_SCHEME}://${dropletId}`;
}

/** @throws ProviderError Terminal for a node that is no droplet. */
export function dropletIdOf(node: ProviderId): number {
  const prefix = `${PROVIDER_ID_SCHEME}://`;
  const digits = node.startsWith(prefix) ? node.slice(prefix.length) : "";
  const id = Number(digits);
  if (DROPLET_ID.pattern.test(digits) && Number.isSafeInteger(id)) return id;
  throw new ProviderError({
    kind: "Terminal",
    where: `${DIGITALOCEAN}: node "${node}"`,
    seen: `its providerID is not of the form ${prefix}${DROPLET_ID.text}`,
    remedy: "match only nodes that are droplets, or use the provider that runs this node",
    outcome: "not-sent",
  });
}

/**
 * The droplet that holds an IPv4 address: `null` or an object with an id. An answer without the field is no
 * "unassigned": a token without the scope droplet:read gets such ones.
 * @throws ProviderError Unauthorized
 */
export function readHolder(droplet: Answer, where: string): ProviderId | undefined {
  if (droplet.missing) {
    throw new ProviderError({
      kind: "Unauthorized",
      where: `${DIGITALOCEAN}: ${where}`,
      seen: "the answer does not say which droplet holds the address",
      remedy: "have the owner of the account give the token the scope droplet:read",
      outcome: "refused",
      reason: "LacksRight",
    });
  }
  return droplet.empty ? undefined : providerIdOf(droplet.at("id").natural());
}

/** The answer shows no holder of any address, but this droplet shows one of them as its own. */
export function hiddenHolder(where: string, droplet: number, ip: string): ProviderError {
  return new ProviderError({
    kind: "Unavailable",
    where: `${DIGITALOCEAN}: ${where}`,
    seen: `the answer shows each address as unassigned, but droplet ${droplet} has ${ip}`,
    remedy: {
      operator: "the operator does not assign them again, and reads them again",
      person: "if this lasts, have the owner of the account check that the token has the scope droplet:read",
    },
    outcome: "refused",
    reason: "MalformedAnswer",
  });
}

/**
 * Whether the token may read droplets, asked once for each token. Lists of IPv6 addresses leave the holder out where
 * there is none, and also where the token may not see it: taken for unassigned, addresses in use would be moved.
 */
export class DropletScope {
  private readonly checked: OncePerToken<void>;

  constructor(client: DigitalOceanClient) {
    const query = { page: "1", per_page: "1" };
    const subject = "read a droplet";
    const request = { call: CALL.getNode, subject, method: "GET", path: "/v2/droplets", query } as const;
    this.checked = new OncePerToken({
      where: `${DIGITALOCEAN}: ${subject}`,
      token: () => client.token(),
      ask: async (context) => {
        await client.request(context, request, (answer) => answer.at("droplets").items());
      },
    });
  }

  /** Rejects with Unauthorized where the scope is missing. */
  check(context: CallContext): Promise<void> {
    return this.checked.read(context);
  }
}

export function readDropletTags(droplet: Answer): Pick<Droplet, "id" | "tags"> {
  const tags = droplet.at("tags").items();
  return { id: droplet.at("id").natural(), tags: tags.map((tag) => tag.string()) };
}

function readDroplet(droplet: Answer): Droplet {
  return {
    ...readDropletTags(droplet),
    region: droplet.at("region").at("slug").string(),
    status: droplet.at("status").string(),
    locked: droplet.at("locked").boolean(),
    ...readDropletAddresses(droplet),
  };
}

export function readDropletAddresses(droplet: Answer): Pick<Droplet, "id" | "publicIpv4"> {
  const networks = droplet.at("networks").at("v4").items();
  const isPublic = (network: Answer) => network.at("type").string() === "public";
  return {
    id: droplet.at("id").natural(),
    publicIpv4: networks.filter(isPublic).map((network) => network.at("ip_address").string()),
  };
}
