/** Where reserved IPv4 and IPv6 addresses differ in the API. */

import { canonicalIp, familyOf, isIp } from "cdk8s-flipop/api";
import type { Answer } from "../answer.js";
import type { ActionRef, AddressFacts, CreateAddress, IpFamily, ProviderId } from "../types.js";
import { dropletIdOf, providerIdOf, readHolder } from "./droplets.js";

/** The API's two sides of one thing. */
export interface AddressRoutes {
  readonly family: IpFamily;
  /** Path of the collection. */
  readonly collection: string;
  /** Key of the items in a list. */
  readonly listKey: string;
  /** Key of one in its own answer. */
  readonly itemKey: string;
  read(item: Answer, where: string): AddressFacts;
  createBody(request: CreateAddress): object;
  actionPath(action: ActionRef): string;
}

const IPV4: AddressRoutes = {
  family: "IPv4",
  collection: "/v2/reserved_ips",
  listKey: "reserved_ips",
  itemKey: "reserved_ip",
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
