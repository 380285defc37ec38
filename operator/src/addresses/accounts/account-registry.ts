/** The accounts of addresses, by the name that resources give the provider, each with its inventory. */

import type { IpFamily } from "cdk8s-flipop/api";
import type { Clock } from "../../clock.js";
import type { Inventories } from "../../inventory/inventories.js";
import type { ResourceRef } from "../../inventory/view.js";
import type { Problem } from "../../messages/message.js";
import { providerMessages } from "../../messages/provider.js";
import { type ProviderRegistry, UnknownProviderError } from "../../providers/registry.js";
import type { AddressProvider, MachineIds } from "../../providers/types.js";
import { omitUndefined } from "../../values.js";
import { AddressAccount } from "./address-account.js";

export class AddressAccounts {
  private readonly accounts = new Map<string, AddressAccount>();

  constructor(
    private readonly providers: ProviderRegistry,
    private readonly tools: { readonly clock: Clock; readonly inventories: Inventories },
  ) {
    providers.onTokenReplaced(({ addresses }) => {
      for (const account of this.accounts.values()) if (account.provider === addresses) account.credentialsReplaced();
    });
  }

  /** Without I/O. A problem where the provider is unknown or has no addresses (of this family). */
  find(name: string, family: IpFamily): AddressAccount | Problem {
    const key = `${name} ${family}`;
    const known = this.accounts.get(key);
    if (known !== undefined) return known;
    const provider = this.providerOf(name);
    if (!("accountKey" in provider)) return provider;
    if (!provider.capabilities.families.includes(family))
      return providerMessages.unsupported({ provider: name, what: `${family} addresses` });
    const { longWait, creationTurn } = this.providers.get(name, "addresses");
    const made = new AddressAccount(provider, family, { ...this.tools, ...omitUndefined({ longWait, creationTurn }) });
    this.accounts.set(key, made);
    return made;
  }

  /** For `compileMatch`. `undefined`: the provider is unknown. */
  machinesOf(name: string): MachineIds | undefined {
    const provider = this.providerOf(name);
    return "accountKey" in provider ? provider.capabilities : undefined;
  }

  /** The resource is gone: nothing is read for it any more. */
  forget(resource: ResourceRef): void {
    for (const account of this.accounts.values()) account.forget(resource);
  }

  private providerOf(name: string): AddressProvider | Problem {
    try {
      return (
        this.providers.get(name, "addresses").addresses ??
        providerMessages.unsupported({ provider: name, what: "addresses" })
      );
    } catch (error) {
      if (!(error instanceof UnknownProviderError)) throw error;
      return providerMessages.unknown({ provider: error.provider, service: error.service });
    }
  }
}
