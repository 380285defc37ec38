/** Which scope of a token each route needs, as the API's reference lists them. */

const RESOURCES: Readonly<Record<string, string>> = {
  account: "account",
  actions: "actions",
  byoip_prefixes: "byoip_prefix",
  domains: "domain",
  droplets: "droplet",
  firewalls: "firewall",
  floating_ips: "reserved_ip",
  projects: "project",
  regions: "regions",
  reserved_ips: "reserved_ip",
  reserved_ipv6: "reserved_ip",
  tags: "tag",
};

const VERBS: Readonly<Record<string, string>> = {
  GET: "read",
  POST: "create",
  PUT: "update",
  PATCH: "update",
  DELETE: "delete",
};

/** Where the method does not tell the verb. */
const EXCEPTIONS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^POST .*\/\{\w+\}\/actions$/, ["update"]],
  [/^(POST|DELETE) \/v2\/firewalls\/.*\/(droplets|tags|rules)$/, ["update"]],
  [/^POST \/v2\/domains\/.*\/records$/, ["create", "update"]],
  [/^DELETE \/v2\/domains\/.*\/records\//, ["delete", "update"]],
  [/^POST \/v2\/projects\/.*\/resources$/, ["assign_resource"]],
  [/^PATCH \/v2\/byoip_prefixes\//, ["write"]],
];

/** Any one of them is enough. Empty for a route that is unknown. */
export function scopesFor(route = ""): readonly string[] {
  const [method = "", path = ""] = route.split(" ");
  const resource = RESOURCES[path.split("/")[2] ?? ""];
  if (resource === undefined) return [];
  const exception = EXCEPTIONS.find(([pattern]) => pattern.test(route));
  return (exception?.[1] ?? [VERBS[method] ?? "read"]).map((verb) => `${resource}:${verb}`);
}
