/** Cloudflare: record sets; and which account a token belongs to. */

import { PROVIDERS } from "cdk8s-flipop/api";
import { CALL, type CallContext } from "../call.js";
import { accountKeyOf } from "../credentials.js";
import type { Answer } from "../http.js";
import type { ProviderSet } from "../layers/compose.js";
import type { ProviderKind, ProviderSetup } from "../registry.js";
import { CLOUDFLARE, CloudflareClient, DEFAULT_URL } from "./client.js";
import { CloudflareDns } from "./dns.js";
import { Zones } from "./zones.js";

const SUBJECT = "list zones, for their account";

/** The id of the account that holds the token's zones; several, where it is for several. */
async function readAccounts(client: CloudflareClient, context: CallContext): Promise<string | undefined> {
  const asked = { call: CALL.account, subject: SUBJECT };
  const accountOf = (zone: Answer) => zone.at("account").at("id").string();
  const ids = await client.zones(context, asked, { order: "account.id" }, accountOf);
  return ids.length === 0 ? undefined : [...new Set(ids)].sort().join("+");
}

export const cloudflare: ProviderKind = {
  ...PROVIDERS.cloudflare,
  // For each user, over all tokens; one call more blocks all calls for 5 minutes.
  rateLimits: [{ calls: 1_200, seconds: 300 }],
  movesAddresses: false,
  countsAllTokens: true,
  probes: {
    baseUrl: DEFAULT_URL,
    reads: [{ path: "/zones?per_page=5", scope: "Zone:Read" }],
    unprobed: "DNS:Edit",
  },
  build,
};

function build({ baseUrl = DEFAULT_URL, userAgent, credentials, run, env, now }: ProviderSetup): ProviderSet {
  const client = new CloudflareClient({ baseUrl, userAgent, credentials, run, env, now });
  const account = accountKeyOf({
    where: `${CLOUDFLARE}: ${SUBJECT}`,
    token: () => client.token(),
    read: (context) => readAccounts(client, context),
  });
  return {
    dns: new CloudflareDns(client, account, new Zones(client, now)),
    close: () => client.close(),
  };
}
