/** `/v2/domains`. */

import { isIPv4 } from "node:net";
import type { Route } from "../../http/api.js";
import type { JsonObject } from "../../http/json.js";
import type { SimulatorAnswer, SimulatorRequest } from "../../http/message.js";
import type { DomainData } from "../data.js";
import { notFound, unprocessable } from "../errors.js";
import { bodyOf, required, textField } from "../fields.js";
import { page } from "../pagination.js";
import type { World } from "../world.js";
import type { RecordFields } from "./record-rules.js";

const TTL = 1_800;
const NAME_SERVERS = ["ns1.digitalocean.com", "ns2.digitalocean.com", "ns3.digitalocean.com"];

/** The domain that the route names; 404 where there is none. */
export function domainOf(request: SimulatorRequest, { data }: World): DomainData {
  const domain = data.domains.get((request.params["domain_name"] ?? "").toLowerCase());
  if (domain === undefined) throw notFound(request);
  return domain;
}

/** A domain with the records that every domain has: SOA and name servers. */
export function addDomain(world: World, name: string): DomainData {
  const domain: DomainData = { name: name.toLowerCase(), ttl: TTL, records: new Map() };
  world.data.domains.set(domain.name, domain);
  addRecord(world, domain, { ...BLANK, type: "SOA", data: String(TTL) });
  for (const data of NAME_SERVERS) addRecord(world, domain, { ...BLANK, type: "NS", data });
  return domain;
}

const BLANK = { name: "@", priority: null, port: null, ttl: TTL, weight: null, flags: null, tag: null };

/** Adds a record as it is. */
export function addRecord({ numbers }: World, { records }: DomainData, fields: RecordFields) {
  const record = { ...fields, id: numbers.nextRecordId() };
  records.set(record.id, record);
  return record;
}

function view({ name, ttl, records }: DomainData): JsonObject {
  const lines = [...records.values()].map((record) => {
    const owner = record.name === "@" ? `${name}.` : `${record.name}.${name}.`;
    return `${owner} ${record.ttl} IN ${record.type} ${record.data}`;
  });
  return { name, ttl, zone_file: `$ORIGIN ${name}.\n$TTL ${ttl}\n${lines.join("\n")}\n` };
}

/** `ip_address` makes an A record at the domain itself. The answer has neither TTL nor zone file yet. */
function create(request: SimulatorRequest, world: World): SimulatorAnswer {
  const body = bodyOf(request);
  const name = required(request, "name", textField(request, body, "name")).toLowerCase();
  const ip = textField(request, body, "ip_address");
  if (!/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/.test(name)) {
    throw unprocessable(request, "Name Only valid hostname characters are allowed.");
  }
  if (world.data.domains.has(name)) throw unprocessable(request, "Name already exists");
  if (ip !== undefined && !isIPv4(ip)) throw unprocessable(request, "IP address is invalid");
  const domain = addDomain(world, name);
  if (ip !== undefined) addRecord(world, domain, { ...BLANK, type: "A", data: ip });
  return { status: 201, body: { domain: { name, ttl: null, zone_file: null } } };
}

export const domainRoutes: readonly Route<World>[] = [
  {
    method: "GET",
    path: "/v2/domains",
    handle: (request, { data }) => page(request, "domains", [...data.domains.values()], view),
  },
  { method: "POST", path: "/v2/domains", handle: create },
  {
    method: "GET",
    path: "/v2/domains/{domain_name}",
    handle: (request, world) => ({ status: 200, body: { domain: view(domainOf(request, world)) } }),
  },
  {
    method: "DELETE",
    path: "/v2/domains/{domain_name}",
    handle: (request, world) => {
      world.data.domains.delete(domainOf(request, world).name);
      return { status: 204 };
    },
  },
];
