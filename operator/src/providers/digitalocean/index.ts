/** DigitalOcean: reserved addresses, domains, firewalls. */

import { PROVIDERS } from "cdk8s-flipop/api";
import type { ProviderSet } from "../layers/compose.js";
import type { ProviderKind, ProviderSetup } from "../registry.js";
import { accountKeyOf } from "./account.js";
import { DigitalOceanAddresses } from "./addresses.js";
import { DEFAULT_URL, DigitalOceanClient } from "./client.js";
import { DigitalOceanDns } from "./dns.js";
import { DigitalOceanFirewalls } from "./firewalls.js";

export const digitalOcean: ProviderKind = {
  ...PROVIDERS.digitalocean,
  // For each token; the headers speak of the hour.
  rateLimits: [
    { calls: 250, seconds: 60 },
    { calls: 5_000, seconds: 3_600 },
  ],
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
  if (!URL.canParse(baseUrl))
    throw new Error(`${PROVIDERS.digitalocean.urlVariable}: "${baseUrl}" is not a URL; give one like ${DEFAULT_URL}`);
  const client = new DigitalOceanClient({ baseUrl, userAgent, credentials, run, env, now });
  const account = accountKeyOf(client);
  return {
    addresses: new DigitalOceanAddresses(client, account),
    dns: new DigitalOceanDns(client, account),
    firewalls: new DigitalOceanFirewalls(client, account, monotonic),
    close: () => client.close(),
  };
}
