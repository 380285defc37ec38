/** What actions of a RoutedIP work with. */

import type { CallContext, Recheck } from "../../providers/call.js";
import type { CallPriority } from "../../providers/urgency.js";
import { callContext } from "../../reconcile/call-context.js";
import type { SharedFirewall } from "../../routing/firewall-registry.js";
import type { Action } from "./actions.js";
import type { Gathered, GatherTools } from "./gather.js";
import type { RoutedIPState } from "./resource-state.js";

export interface Tools extends GatherTools {
  readonly resourceState: RoutedIPState;
  readonly gathered: Gathered;
  /** Of an action that must not be carried out on an old decision. */
  readonly recheckOf: (action: Action) => Recheck | undefined;
  /** Aborts when this run has to end. */
  readonly signal: AbortSignal;
}

export function sharedFirewall({ routing, gathered: { account } }: Tools, name: string): SharedFirewall | undefined {
  return account?.inventory && routing.firewalls.of(account.inventory.account, name);
}

/** Of a call that an action asks for. */
export function contextOf(
  { resourceState, signal, recheckOf }: Tools,
  action: Action,
  priority: CallPriority,
): CallContext {
  const recheck = recheckOf(action);
  return callContext(resourceState.ref, action.why, signal, { priority, ...(recheck && { recheck }) });
}
