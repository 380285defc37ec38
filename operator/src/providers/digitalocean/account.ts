/** Which account a token belongs to. */

import { CALL, type CallContext } from "../call.js";
import { isProviderError } from "../errors.js";
import { OncePerToken } from "../once-per-token.js";
import { DIGITALOCEAN, type DigitalOceanClient } from "./client.js";

const SUBJECT = "read the account";

/** The account's key: see `Provider.accountKey`. */
export type AccountKey = OncePerToken<string>;

/**
 * The team's uuid, since addresses belong to the team and one person may be in several; else the account's. A token
 * that may not read the account is identified by its hash.
 */
export function accountKeyOf(client: DigitalOceanClient): AccountKey {
  return new OncePerToken({
    where: `${DIGITALOCEAN}: ${SUBJECT}`,
    token: () => client.token(),
    ask: (context, hash) =>
      readAccount(client, context).catch((error: unknown) => {
        // 403: a valid token without this scope.
        if (isProviderError(error, "Unauthorized") && error.status === 403) return `token-${hash}`;
        throw error;
      }),
  });
}

function readAccount(client: DigitalOceanClient, context: CallContext): Promise<string> {
  const request = { call: CALL.account, subject: SUBJECT, method: "GET", path: "/v2/account" } as const;
  return client.request(context, request, (answer) => {
    const account = answer.at("account");
    const team = account.at("team");
    return team.empty ? account.at("uuid").string() : team.at("uuid").string();
  });
}
