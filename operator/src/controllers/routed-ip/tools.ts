/** What actions of a RoutedIP work with. */

import type { CallContext } from "../../providers/call.js";
import type { SharedFirewall } from "./firewall-book.js";
import type { Gathered, GatherTools } from "./gather.js";
import type { RoutedUnit } from "./unit.js";

export interface Tools extends GatherTools {
  readonly unit: RoutedUnit;
  readonly gathered: Gathered;
  /** Aborts when this run has to end. */
  readonly signal: AbortSignal;
}

/** Of the call that an action asks for. */
export function callContext(unit: Pick<RoutedUnit, "ref">, why: string, signal?: AbortSignal): CallContext {
  const { kind, namespace, name } = unit.ref;
  return { asker: { kind, namespace, name }, why, priority: "assignment", ...(signal && { signal }) };
}

export function sharedFirewall({ routing, gathered: { account } }: Tools, name: string): SharedFirewall | undefined {
  return account?.inventory && routing.firewalls.of(account.inventory.account, name);
}
