/** DigitalOcean's description, with what is known to be wrong or missing in it. */

import type { Journal } from "../../src/http/journal.js";
import { loadOpenApi, type OpenApi, type OpenApiRules } from "./openapi.js";

const RULES: OpenApiRules = {
  reviewed: [
    // The description has no 422 for most of what the API refuses with it.
    { status: 422, on: /\/v2\/(reserved_ips|floating_ips|reserved_ipv6)/, schema: "error" },
    { status: 422, on: /\/v2\/(domains|firewalls|droplets|tags|byoip_prefixes|projects)/, schema: "error" },
    // A create that names a droplet which is not there.
    { status: 404, on: /^POST \/v2\/(reserved_ips|floating_ips)$/, schema: "error" },
    // Reported by clients: `duplicate name`.
    { status: 409, on: /^(POST|PUT) \/v2\/firewalls/, schema: "error" },
    // Scopes are younger than the description; a body that is not JSON; gateways.
    { status: 403, on: /./, schema: "error" },
    { status: 400, on: /./, schema: "error" },
    { status: 502, on: /./, schema: "error" },
    { status: 503, on: /./, schema: "error" },
    { status: 504, on: /./, schema: "error" },
  ],
  exceptions: {
    optional: [
      // Only where there is another page, and only those that apply.
      "links.pages",
      // Absent in the description's own example of an address that is reserved to a region.
      "links.droplets",
      "links.actions",
      // GPU droplets only.
      "droplet.gpu_info",
      "droplets.gpu_info",
      "size.gpu_info",
      // A rule names the kinds of targets that it has.
      "sources.*",
      "destinations.*",
      // The kinds of resources that carry the tag; the last one only where there is one.
      "resources.*",
      "droplets.last_tagged_uri",
      "volumes.last_tagged_uri",
      "volume_snapshots.last_tagged_uri",
      "databases.last_tagged_uri",
    ],
    // The description misspells it as `imgages`; its examples don't.
    extra: ["resources.images"],
  },
};

/**
 * Checks every request that a client sent to a simulator, but for those that no route fits. Call it at the end of a
 * test of the client; it does nothing where the description is not there.
 */
export function checkJournalRequests(journal: Journal): void {
  const openApi = digitalOceanOpenApi();
  for (const { method, path, query, body, route } of journal.entries) {
    const text = query.toString();
    if (route !== undefined) openApi?.checkRequest({ method, path: text === "" ? path : `${path}?${text}`, body });
  }
}

let loaded: OpenApi | undefined;

/** Undefined, said once on stderr, where the description is not there. */
export function digitalOceanOpenApi(): OpenApi | undefined {
  loaded ??= loadOpenApi("digitalocean.openapi.json", RULES);
  return loaded;
}
