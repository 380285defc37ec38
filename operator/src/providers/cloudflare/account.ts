/** Which account a token belongs to. */

import { CALL, type CallContext } from "../call.js";
import { isProviderError } from "../errors.js";
import { OncePerToken } from "../once-per-token.js";
import { CLOUDFLARE, type CloudflareClient } from "./client.js";

const SUBJECT = "list zones, for their account";

/** The account's key: see `Provider.accountKey`. */
export type AccountKey = OncePerToken<string>;

/**
 * The id of the account that holds the token's zones; several, where it is for several. A token that may not list its
 * zones is identified by its hash.
 */
export function accountKeyOf(client: CloudflareClient): AccountKey {
  return new OncePerToken({
    where: `${CLOUDFLARE}: ${SUBJECT}`,
    token: () => client.token(),
    ask: async (context, hash) => {
      const ids = await readAccounts(client, context);
      return ids.length === 0 ? `token-${hash}` : ids.join("+");
    },
  });
}

async function readAccounts(client: CloudflareClient, context: CallContext): Promise<readonly string[]> {
  const asked = { call: CALL.account, subject: SUBJECT };
  try {
    const ids = await client.zones(context, asked, { order: "account.id" }, (zone) =>
      zone.at("account").at("id").string(),
    );
    return [...new Set(ids)].sort();
  } catch (error) {
    // 403: a valid token without this right.
    if (isProviderError(error, "Unauthorized") && error.status === 403) return [];
    throw error;
  }
}
