/** Cloudflare: DNS records. */

import { PROVIDERS } from "cdk8s-flipop/api";
import type { ProviderSet } from "../layers/compose.js";
import type { ProviderKind, ProviderSetup } from "../registry.js";
import { accountKeyOf } from "./account.js";
import { CloudflareClient, DEFAULT_URL } from "./client.js";
import { CloudflareDns } from "./dns.js";
import { Zones } from "./zones.js";

export const cloudflare: ProviderKind = {
  ...PROVIDERS.cloudflare,
  // For each user, over all tokens; one call more blocks all calls for 5 minutes.
  rateLimits: [{ calls: 1_200, seconds: 300 }],
  movesAddresses: false,
  countsAllTokens: true,
  build,
};

function build({ baseUrl = DEFAULT_URL, userAgent, credentials, run, env, now }: ProviderSetup): ProviderSet {
  const client = new CloudflareClient({ baseUrl, userAgent, credentials, run, env, now });
  return {
    dns: new CloudflareDns(client, accountKeyOf(client), new Zones(client, now)),
    close: () => client.close(),
  };
}
