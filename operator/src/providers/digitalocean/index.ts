/** DigitalOcean: reserved addresses, domains, firewalls; and which account a token belongs to. */

import { PROVIDERS } from "cdk8s-flipop/api";
import { CALL, type CallContext } from "../call.js";
import { accountKeyOf } from "../credentials.js";
import type { ProviderSet } from "../layers/compose.js";
import type { ProviderKind, ProviderSetup } from "../registry.js";
import { DigitalOceanAddresses } from "./addresses.js";
import { DEFAULT_URL, DIGITALOCEAN, DigitalOceanClient } from "./client.js";
import { DigitalOceanDns } from "./dns.js";
import { DigitalOceanFirewalls } from "./firewalls.js";

/** The endpoint, because it may fail alone. */
const SUBJECT = "read which account the token is of (GET /v2/account)";

/** The team's uuid, since addresses belong to the team and one person may be in several; else the account's. */
function readAccount(client: DigitalOceanClient, context: CallContext): Promise<string> {
  const request = { call: CALL.account, subject: SUBJECT, method: "GET", path: "/v2/account" } as const;
  return client.request(context, request, (answer) => {
    const account = answer.at("account");
    const team = account.at("team");
    return team.empty ? account.at("uuid").string() : team.at("uuid").string();
  });
}

export const digitalOcean: ProviderKind = {
  ...PROVIDERS.digitalocean,
  // For each token; the headers speak of the hour.
  rateLimits: [
    { calls: 250, seconds: 60 },
    { calls: 5_000, seconds: 3_600 },
    { calls: 12, seconds: 60, group: "IPv4 creations" },
  ],
  probes: {
    baseUrl: DEFAULT_URL,
    reads: [
      { path: "/v2/reserved_ips?per_page=1", scope: "reserved_ip:read" },
      { path: "/v2/droplets?per_page=1", scope: "droplet:read" },
      { path: "/v2/domains?per_page=1", scope: "domain:read" },
      { path: "/v2/firewalls?per_page=1", scope: "firewall:read" },
      { path: "/v2/account", scope: "account:read" },
    ],
    unprobed: "reserved_ip:create/update/delete, domain:create/update/delete, firewall:create/update/delete, tag:read",
    limits: {
      path: "/v2/account",
      fields: ["account", "floating_ip_limit"],
      used: "/v2/reserved_ips?per_page=1",
    },
  },
  build,
};

/** @throws Error if the base URL is not a URL: an error of the configuration, reported at start. */
function build({
  baseUrl = DEFAULT_URL,
  userAgent,
  credentials,
  run,
  env,
  now,
  monotonic,
}: ProviderSetup): ProviderSet {
  const client = new DigitalOceanClient({ baseUrl, userAgent, credentials, run, env, now });
  const account = accountKeyOf({
    where: `${DIGITALOCEAN}: ${SUBJECT}`,
    token: () => client.token(),
    read: (context) => readAccount(client, context),
  });
  return {
    addresses: new DigitalOceanAddresses(client, account),
    dns: new DigitalOceanDns(client, account),
    firewalls: new DigitalOceanFirewalls(client, account, monotonic),
    close: () => client.close(),
  };
}
