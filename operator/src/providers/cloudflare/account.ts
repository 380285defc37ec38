/** Which account a token belongs to. */

import { CALL, type CallContext } from "../call.js";
import { tokenHash } from "../credentials.js";
import { isProviderError } from "../errors.js";
import type { CloudflareClient } from "./client.js";

/**
 * The id of the account that holds the token's zones; several, where it is for several. A token that may not list its
 * zones is told apart by its hash. Asked once for each token.
 */
export class AccountKey {
  private known: { readonly hash: string; readonly key: string } | undefined;

  constructor(private readonly client: CloudflareClient) {}

  async read(context: CallContext): Promise<string> {
    const hash = tokenHash(this.client.token());
    if (this.known?.hash === hash) return this.known.key;
    const ids = await this.ask(context);
    const key = ids.length === 0 ? `token-${hash}` : ids.join("+");
    this.known = { hash, key };
    return key;
  }

  private async ask(context: CallContext): Promise<readonly string[]> {
    const asked = { call: CALL.account, subject: "list zones, for their account" };
    try {
      const ids = await this.client.zones(context, asked, { order: "account.id" }, (zone) =>
        zone.at("account").at("id").string(),
      );
      return [...new Set(ids)].sort();
    } catch (error) {
      // 403: a valid token without this right.
      if (isProviderError(error, "Unauthorized") && error.status === 403) return [];
      throw error;
    }
  }
}
