/** Reads of one account, through whichever of its tokens is good. */

import { familyOf } from "cdk8s-flipop/api";
import type { CallContext } from "../providers/call.js";
import { isProviderError } from "../providers/errors.js";
import type { AddressFacts, AddressProvider, IpFamily } from "../providers/types.js";

export class InventoryReader {
  private readonly providers: AddressProvider[];

  constructor(
    first: AddressProvider,
    private readonly family: IpFamily,
  ) {
    this.providers = [first];
  }

  join(provider: AddressProvider): void {
    if (!this.providers.includes(provider)) this.providers.push(provider);
  }

  /** Its connections are about to end. Returns whether another token is left. */
  leave(provider: AddressProvider): boolean {
    const at = this.providers.indexOf(provider);
    if (at >= 0) this.providers.splice(at, 1);
    return this.providers.length > 0;
  }

  /** Whether an address is of this family. */
  covers(ip: string): boolean {
    return familyOf(ip) === this.family;
  }

  list(context: CallContext, named: readonly string[]): Promise<readonly AddressFacts[]> {
    const wanted = named.filter((ip) => this.covers(ip));
    return this.withToken((provider) => provider.list(context, { family: this.family, named: wanted }));
  }

  get(context: CallContext, ip: string): Promise<AddressFacts | undefined> {
    return this.withToken((provider) => provider.get(context, ip));
  }

  /** A token that is refused goes to the end of the line; each is tried once. */
  private async withToken<T>(read: (provider: AddressProvider) => Promise<T>): Promise<T> {
    for (let left = this.providers.length; ; left--) {
      const [provider] = this.providers;
      if (provider === undefined) throw new Error("an inventory whose last provider has left is asked for a read");
      try {
        return await read(provider);
      } catch (error) {
        if (left <= 1 || !isProviderError(error, "Unauthorized")) throw error;
        this.providers.push(...this.providers.splice(0, 1));
      }
    }
  }
}
