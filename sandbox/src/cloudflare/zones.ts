/** `/zones`: the list and single zones, and how routes below a zone find theirs. */

import type { Route } from "../http/api.js";
import type { JsonObject } from "../http/json.js";
import type { SimulatorRequest } from "../http/message.js";
import type { CloudflareWorld, ZoneData } from "./data.js";
import { success } from "./envelope.js";
import { REFUSALS } from "./errors.js";
import { page } from "./pagination.js";
import type { Scope, Tokens } from "./tokens.js";

const PAGE = { standard: 20, least: 5, most: 50 };

export function zoneRoutes(tokens: Tokens): readonly Route<CloudflareWorld>[] {
  return [
    {
      method: "GET",
      path: "/zones",
      handle: (request, world) => page(request, listed(request, world, tokens), PAGE, zoneView),
    },
    {
      method: "GET",
      path: "/zones/{zone_id}",
      handle: (request, world) => {
        const zone = zoneOf(request, world, tokens);
        if (!tokens.may(request, "zone:read", zone)) throw REFUSALS.forbiddenZone();
        return success(zoneView(zone));
      },
    },
  ];
}

/** The zone of a route about its records. Throws the refusals of ids that cannot be, unknown zones, missing rights. */
export function recordZone(
  request: SimulatorRequest,
  world: CloudflareWorld,
  tokens: Tokens,
  scope: Exclude<Scope, "zone:read">,
): ZoneData {
  const zone = zoneOf(request, world, tokens);
  if (!tokens.may(request, scope, zone)) throw REFUSALS.forbiddenRecords();
  return zone;
}

/** Whether it has the form of an id. */
export function isId(text: string | undefined): text is string {
  return text !== undefined && /^[0-9a-f]{32}$/.test(text);
}

function zoneOf(request: SimulatorRequest, { zones }: CloudflareWorld, tokens: Tokens): ZoneData {
  const { zone_id: id } = request.params;
  if (!isId(id)) throw REFUSALS.unroutable(request);
  const zone = zones.get(id);
  if (zone !== undefined) return zone;
  if (!tokens.isRestricted(request)) throw REFUSALS.unknownZone();
  throw request.route === "GET /zones/{zone_id}" ? REFUSALS.forbiddenZone() : REFUSALS.forbiddenRecords();
}

function listed(request: SimulatorRequest, { zones }: CloudflareWorld, tokens: Tokens): readonly ZoneData[] {
  const wanted = (key: string) => request.query.get(key)?.toLowerCase();
  const [name, status, account] = [wanted("name"), wanted("status"), wanted("account.id")];
  const found = [...zones.values()].filter(
    (zone) =>
      tokens.may(request, "zone:read", zone) &&
      (name === undefined || zone.name === name) &&
      (status === undefined || zone.status === status) &&
      (account === undefined || zone.account.id === account),
  );
  const key = request.query.get("order") === "account.id" ? (zone: ZoneData) => zone.account.id : undefined;
  const sorted = found.sort((a, b) => (key === undefined ? 0 : compare(key(a), key(b))) || compare(a.name, b.name));
  return request.query.get("direction") === "desc" ? sorted.reverse() : sorted;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function zoneView({ id, name, account, status, createdAt }: ZoneData): JsonObject {
  const created = new Date(createdAt).toISOString();
  return {
    id,
    name,
    status,
    account: { id: account.id, name: account.name },
    owner: { id: account.id, name: account.name, type: "organization" },
    development_mode: 0,
    meta: {
      step: 2,
      custom_certificate_quota: 0,
      page_rule_quota: 3,
      phishing_detected: false,
      cdn_only: false,
      dns_only: false,
      foundation_dns: false,
    },
    name_servers: ["ada.ns.cloudflare.com", "bob.ns.cloudflare.com"],
    vanity_name_servers: [],
    original_name_servers: null,
    original_registrar: null,
    original_dnshost: null,
    created_on: created,
    modified_on: created,
    activated_on: status === "active" ? created : null,
  };
}
