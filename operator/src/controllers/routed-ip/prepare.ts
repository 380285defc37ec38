/** What has to be read before a turn: the account's list, addresses that it lacks, those that are doubted or locked. */

import { freshSeconds } from "../../addresses/creation/creation-registry.js";
import { isLockedFor } from "../../addresses/observed.js";
import { LIST_MAX_AGE_SECONDS, SETTLE_LIST_SECONDS } from "../../bounds.js";
import { callContext } from "../../reconcile/call-context.js";
import type { RoutedRead } from "../../routing/resource.js";
import {
  creationKey,
  familyOfRouted,
  type Gathered,
  type GatherTools,
  namedAddresses,
  resolveAccount,
} from "./gather.js";
import type { RoutedIPState } from "./resource-state.js";

/** Never rejects for the provider's sake: that is a failure of the account. */
export async function prepare(tools: GatherTools, resourceState: RoutedIPState, read: RoutedRead): Promise<void> {
  const { account, resolvedClass } = resolveAccount(tools, resourceState, read);
  if (account === undefined) return;
  const { routed } = read;
  const names = namedAddresses(routed);
  account.inventory?.want(resourceState.ref, names);
  const { clock } = tools.routing.context;
  const settling = resourceState.listObservations.meet(routed.status.pendingCreation, clock.monotonic());
  const family = familyOfRouted(routed);
  const others = tools.routing.context.creations.others(creationKey(resourceState, { resolvedClass, family, account }));
  const fresh = Math.min(LIST_MAX_AGE_SECONDS, freshSeconds(others, clock.now()));
  await account.refresh(settling ? SETTLE_LIST_SECONDS : fresh, "assignment");
  const { inventory } = account;
  if (inventory === undefined) return;
  resourceState.inventory = inventory;
  inventory.want(resourceState.ref, names);
  const view = inventory.view();
  const unseen = names.filter((ip) => view.get(ip) === undefined && !view.isGone(ip));
  const locked = names.filter((ip) => isLockedFor(view.get(ip)));
  const again = [...unseen, ...locked];
  if (view.complete && again.length > 0)
    await account.read(callContext(resourceState.ref, "the list does not show it as it is"), again);
  await account.rereadUnconfirmed(callContext(resourceState.ref, "a read contradicted what was done"));
  resourceState.listObservations.note(inventory.view(), clock.monotonic());
}

/** When the list of the account is to be read again, ms from now; `undefined`: it need not be. */
export function listDueMs(account: Gathered["account"]): number | undefined {
  const view = account?.inventory?.view();
  // One that does not answer is read when its next try is due, and no sooner.
  if (view?.complete !== true || account?.failure !== undefined) return undefined;
  // One that is just that old still counts: a look at that very moment would come to nothing.
  return Math.max(0, LIST_MAX_AGE_SECONDS - view.ageSeconds) * 1000 + 1;
}
