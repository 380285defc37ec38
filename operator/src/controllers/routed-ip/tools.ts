/** What actions of a RoutedIP work with. */

import type { SharedFirewall } from "./firewall-book.js";
import type { Gathered, GatherTools } from "./gather.js";
import type { RoutedUnit } from "./unit.js";

export interface Tools extends GatherTools {
  readonly unit: RoutedUnit;
  readonly gathered: Gathered;
  /** Aborts when this run has to end. */
  readonly signal: AbortSignal;
}

export function sharedFirewall({ routing, gathered: { account } }: Tools, name: string): SharedFirewall | undefined {
  return account?.inventory && routing.firewalls.of(account.inventory.account, name);
}
