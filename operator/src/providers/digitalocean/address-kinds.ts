/** Where the kinds of addresses differ in the API: reserved IPv4, reserved IPv6, and those of ranges that their owner brought. */

import { BlockList } from "node:net";
import { canonicalIp, familyOf, isIp } from "cdk8s-flipop/api";
import { CALL, type CallContext, type CallGroup } from "../call.js";
import { isProviderError } from "../errors.js";
import type { Answer } from "../http.js";
import type { ActionRef, AddressFacts, CreateAddress, IpFamily, ProviderId } from "../types.js";
import type { DigitalOceanClient } from "./client.js";
import { dropletIdOf, providerIdOf, readHolder } from "./droplets.js";

/** The API's two sides of one thing. */
interface AddressRoutes {
  readonly family: IpFamily;
  /** Path of the collection. */
  readonly collection: string;
  /** Key of the items in a list. */
  readonly listKey: string;
  /** Key of one in its own answer. */
  readonly itemKey: string;
  /** Whose limit creations have. */
  readonly creations: { readonly group?: CallGroup };
  read(item: Answer, where: string): AddressFacts;
  createBody(request: CreateAddress): object;
  actionPath(action: ActionRef): string;
}

const IPV4: AddressRoutes = {
  family: "IPv4",
  collection: "/v2/reserved_ips",
  listKey: "reserved_ips",
  itemKey: "reserved_ip",
  creations: { group: "IPv4 creations" },
  read: (item, where) => {
    const locked = item.at("locked").boolean();
    const holder = readHolder(item.at("droplet"), where);
    const facts = factsOf("IPv4", item, item.at("region").at("slug").string(), holder);
    const project = item.at("project_id");
    const placed = project.empty ? facts : { ...facts, project: project.string() };
    return locked ? { ...placed, action: {} } : placed;
  },
  createBody: (request) => ("node" in request ? { droplet_id: dropletIdOf(request.node) } : { region: request.region }),
  actionPath: ({ ip, id }) => `/v2/reserved_ips/${ip}/actions/${encodeURIComponent(id)}`,
};

const IPV6: AddressRoutes = {
  family: "IPv6",
  collection: "/v2/reserved_ipv6",
  listKey: "reserved_ipv6s",
  itemKey: "reserved_ipv6",
  creations: {},
  // A missing droplet is none here: DropletScope is asked before.
  read: (item) => {
    const droplet = item.at("droplet");
    const holder = droplet.empty ? undefined : providerIdOf(droplet.at("id").natural());
    return factsOf("IPv6", item, item.at("region_slug").string(), holder);
  },
  createBody: (request) => ({ region_slug: "node" in request ? "" : request.region }),
  actionPath: ({ id }) => `/v2/actions/${encodeURIComponent(id)}`,
};

export function routesOf(family: IpFamily): AddressRoutes {
  return family === "IPv6" ? IPV6 : IPV4;
}

/** The path of one address. */
export function addressPath(ip: string): string {
  return `${routesOf(familyOf(ip)).collection}/${encodeURIComponent(ip)}`;
}

function factsOf(family: IpFamily, item: Answer, region: string, holder: ProviderId | undefined): AddressFacts {
  const ip = item.at("ip").stringThat((text) => isIp(text) && familyOf(text) === family, `an ${family} address`);
  return { ip: canonicalIp(ip), family, region, ...(holder === undefined ? {} : { holder }) };
}

interface Prefix {
  readonly uuid: string;
  readonly region: string;
  readonly covers: (ip: string) => boolean;
}

/** An allocation; `ip` and `droplet` are absent where the API's spelling is not the known one. */
interface Allocation {
  readonly id: string;
  readonly ip: string | undefined;
  readonly droplet: number | undefined;
}

/** Of the addresses asked for, those that are in a range of the account. One call, and one list for each range hit. */
export async function listBorrowed(
  client: DigitalOceanClient,
  context: CallContext,
  wanted: readonly string[],
): Promise<readonly AddressFacts[]> {
  const asked = wanted.filter((ip) => familyOf(ip) === "IPv4");
  if (asked.length === 0) return [];
  const found: AddressFacts[] = [];
  for (const prefix of await listPrefixes(client, context)) {
    const inside = asked.filter(prefix.covers);
    if (inside.length > 0)
      found.push(...borrowedFacts(prefix, inside, await listAllocations(client, context, prefix.uuid)));
  }
  return found;
}

/** A token that may not list ranges, or an account without the feature: each address is then read alone. */
async function listPrefixes(client: DigitalOceanClient, context: CallContext): Promise<readonly Prefix[]> {
  try {
    return await client.list(context, {
      call: CALL.listAddresses,
      subject: "list BYOIP prefixes",
      path: "/v2/byoip_prefixes",
      key: "byoip_prefixes",
      read: (item) => ({
        uuid: item.at("uuid").string(),
        region: item.at("region").string(),
        covers: covers(item.at("prefix").string()),
      }),
      identify: ({ uuid }) => uuid,
    });
  } catch (error) {
    if (isProviderError(error, "NotFound") || (isProviderError(error) && error.status === 403)) return [];
    throw error;
  }
}

function listAllocations(
  client: DigitalOceanClient,
  context: CallContext,
  uuid: string,
): Promise<readonly Allocation[]> {
  return client.list<Allocation>(context, {
    call: CALL.listAddresses,
    subject: `list addresses of BYOIP prefix ${uuid}`,
    path: `/v2/byoip_prefixes/${encodeURIComponent(uuid)}/ips`,
    key: "ips",
    read: (item) => {
      const byoip = item.at("byoip").string();
      const droplet = /^do:droplet:([1-9][0-9]{0,15})$/.exec(item.at("resource").string())?.[1];
      return {
        id: String(item.at("id").natural()),
        ip: isIp(byoip) ? canonicalIp(byoip) : undefined,
        droplet: droplet === undefined ? undefined : Number(droplet),
      };
    },
    identify: ({ id }) => id,
  });
}

/** One that cannot be read with certainty is left out: it is read alone then. */
function borrowedFacts(prefix: Prefix, inside: readonly string[], allocations: readonly Allocation[]): AddressFacts[] {
  const readable = allocations.every(({ ip, droplet }) => ip !== undefined && droplet !== undefined);
  if (!readable) return [];
  const holders = new Map(allocations.map(({ ip, droplet }) => [ip, droplet]));
  return inside.map((ip) => {
    const droplet = holders.get(ip);
    const facts = { ip, family: "IPv4", region: prefix.region, borrowed: true } as const;
    return droplet === undefined ? facts : { ...facts, holder: providerIdOf(droplet) };
  });
}

function covers(cidr: string): (ip: string) => boolean {
  const [base = "", bits = ""] = cidr.split("/");
  if (!isIp(base) || familyOf(base) !== "IPv4" || !/^\d{1,2}$/.test(bits) || Number(bits) > 32) return () => false;
  const block = new BlockList();
  block.addSubnet(base, Number(bits), "ipv4");
  return (ip) => block.check(ip, "ipv4");
}
