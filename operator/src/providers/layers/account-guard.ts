/** Holds calls back while the token belongs to another account than the one that the operator works with: its addresses and records are not there. */

import { failedCalls } from "../../messages/failed-calls.js";
import { type ApiCall, CALL, type CallContext, type CallLayer, callText } from "../call.js";
import { type Credentials, isKeyOfToken, isSameAccount, tokenHash } from "../credentials.js";
import { ProviderError } from "../errors.js";

/** The issuer of a token. */
export interface AccountOnRecord {
  /** `namespace/name` */
  readonly name: string;
  /** Key of the account that its status has on record. */
  readonly account?: string;
}

/**
 * Of one provider. The account on record counts, or else that of the first token, until the process ends or the issuer goes. A token
 * that may not read its account passes, as any other one did before.
 */
export class SameAccount {
  private account: string | undefined;
  /** Fingerprint of a token whose account is known. */
  private checked: string | undefined;
  /** Of the last one whose account was asked for. */
  private asked: string | undefined;

  /**
   * @param keyOf see `Provider.accountKey`
   * @param issuer absent: the token is the operator's own
   */
  constructor(
    private readonly credentials: Pick<Credentials, "token" | "place">,
    private readonly keyOf: (context: CallContext) => Promise<string>,
    private readonly issuer?: AccountOnRecord,
  ) {
    this.account = issuer?.account;
  }

  /** Rejects with `OtherAccount`, before an inventory of another account is opened. */
  async accountKey(provider: string, context: CallContext): Promise<string> {
    const account = await this.keyOf(context);
    if (!isSameAccount(this.account ?? account, account)) throw this.otherAccount(`${provider}: read the account`);
    return account;
  }

  readonly layer: CallLayer = (next) => async (call, send) => {
    if (call.name === CALL.account) return next(call, send);
    if (!this.isChecked()) await this.check(call);
    return next(this.isChecked() ? this.recheckedCall(call) : call, send);
  };

  private isChecked(): boolean {
    return this.checked === this.hash();
  }

  private hash(): string {
    return tokenHash(this.credentials.token());
  }

  private async check(call: ApiCall): Promise<void> {
    const hash = this.hash();
    const first = this.account === undefined;
    // Reads need not ask again and again which account it is, before anything is compared with it.
    if (first && this.asked === hash && !call.write) return;
    this.asked = hash;
    const account = first ? await this.keyOf(call.context).catch(() => undefined) : await this.keyOf(call.context);
    if (account === undefined || hash !== this.hash()) return;
    const known = this.account ?? account;
    if (!isSameAccount(known, account)) throw this.otherAccount(callText(call));
    this.account = isKeyOfToken(known) ? account : known;
    this.checked = hash;
  }

  /** Another token may come while the call waits. */
  private recheckedCall(call: ApiCall): ApiCall {
    const { recheck } = call.context;
    if (recheck === undefined) return call;
    const still = () => (this.isChecked() ? recheck() : failedCalls.tokenChanged);
    return { ...call, context: { ...call.context, recheck: still } };
  }

  private otherAccount(where: string): ProviderError {
    const place = this.credentials.place();
    const { issuer } = this;
    return new ProviderError({
      kind: "Unauthorized",
      where,
      ...failedCalls.otherAccount(place, issuer?.name),
      outcome: "not-sent",
      reason: "OtherAccount",
    });
  }
}
