/** Whether the API has accepted the latest token of an account. Lists alone do not show it: another token of the account may have read them. */

import type { Clock } from "../../clock.js";
import { sharedRead } from "../../providers/call.js";
import type { AddressProvider } from "../../providers/types.js";

export class TokenProof {
  /** Of the latest token, monotonic ms: older lists and failures do not show whether it works. */
  since = Number.NEGATIVE_INFINITY;
  private provenOf = Number.NEGATIVE_INFINITY;

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  get isGiven(): boolean {
    return this.provenOf === this.since;
  }

  replaced(): void {
    this.since = this.clock.monotonic();
  }

  /** Rejects if the API refuses a new token. */
  async give(provider: Pick<AddressProvider, "accountKey">): Promise<void> {
    const { since } = this;
    if (this.isGiven) return;
    await provider.accountKey(sharedRead("whether the new token works", "assignment"));
    this.provenOf = since;
  }
}
