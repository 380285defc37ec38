/** All inventories of a process: one for each account and family, whichever resource and token use it. */

import type { Clock } from "../clock.js";
import type { CallContext } from "../providers/call.js";
import type { AddressProvider, IpFamily } from "../providers/types.js";
import { AccountInventory } from "./account-inventory.js";
import type { InventoryAddress, RoomListener } from "./view.js";

export class Inventories {
  private readonly inventories = new Map<string, AccountInventory>();

  constructor(
    private readonly clock: Clock,
    private readonly room?: RoomListener,
  ) {}

  /** Rejects with ProviderError if the account cannot be identified. */
  async for(context: CallContext, provider: AddressProvider, family: IpFamily): Promise<AccountInventory> {
    const accountKey = await provider.accountKey(context);
    const key = `${provider.name} ${accountKey} ${family}`;
    const known = this.inventories.get(key);
    if (known !== undefined) {
      known.join(provider);
      return known;
    }
    const made = new AccountInventory(provider, family, this.clock, { accountKey, room: this.room });
    this.inventories.set(key, made);
    return made;
  }

  /** The address as an account that is read shows it; `undefined`: none does. */
  find(ip: string): InventoryAddress | undefined {
    for (const inventory of this.inventories.values()) {
      const facts = inventory.view().get(ip);
      if (facts !== undefined) return facts;
    }
    return undefined;
  }

  /** All addresses of all accounts; `undefined`: no account is read, or one of them is not read whole. */
  addresses(): readonly InventoryAddress[] | undefined {
    const views = [...this.inventories.values()].map((inventory) => inventory.view());
    if (views.length === 0 || !views.every(({ complete }) => complete)) return undefined;
    return views.flatMap(({ addresses }) => [...addresses.values()]);
  }

  /** Before a provider is closed: the other tokens of its accounts continue to read; accounts without a token are forgotten. */
  leave(provider: AddressProvider): void {
    for (const [key, inventory] of this.inventories) if (!inventory.leave(provider)) this.inventories.delete(key);
  }
}
