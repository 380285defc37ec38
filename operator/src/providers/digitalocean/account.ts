/** Which account a token belongs to. */

import { CALL, type CallContext } from "../call.js";
import { tokenHash } from "../credentials.js";
import { isProviderError } from "../errors.js";
import type { DigitalOceanClient } from "./client.js";

/**
 * The team's uuid, since addresses belong to the team and one person may be in several; else the account's. A token
 * that may not read the account is told apart by its hash. Asked once for each token.
 */
export class AccountKey {
  private known: { readonly hash: string; readonly key: string } | undefined;

  constructor(private readonly client: DigitalOceanClient) {}

  async read(context: CallContext): Promise<string> {
    const hash = tokenHash(this.client.token());
    if (this.known?.hash === hash) return this.known.key;
    const key = await this.ask(context).catch((error: unknown) => {
      // 403: a valid token without this scope.
      if (isProviderError(error, "Unauthorized") && error.status === 403) return `token-${hash}`;
      throw error;
    });
    this.known = { hash, key };
    return key;
  }

  private ask(context: CallContext): Promise<string> {
    const request = { call: CALL.account, subject: "read the account", method: "GET", path: "/v2/account" } as const;
    return this.client.request(context, request, (answer) => {
      const account = answer.at("account");
      const team = account.at("team");
      return team.empty ? account.at("uuid").string() : team.at("uuid").string();
    });
  }
}
