/**
 * Addresses of ranges that their owner brought (BYOIP). The list of reserved addresses does not name them, and only
 * those that are assigned are listed at all; the others are known by their range.
 */

import { BlockList } from "node:net";
import { canonicalIp, familyOf, isIp } from "cdk8s-flipop/api";
import { CALL, type CallContext } from "../call.js";
import { isProviderError } from "../errors.js";
import type { AddressFacts } from "../types.js";
import type { DigitalOceanClient } from "./client.js";
import { providerIdOf } from "./droplets.js";

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
    if (inside.length > 0) found.push(...factsOf(prefix, inside, await listAllocations(client, context, prefix.uuid)));
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
function factsOf(prefix: Prefix, inside: readonly string[], allocations: readonly Allocation[]): AddressFacts[] {
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
