/** What has to be read before a decision: the account's list, addresses that it lacks, those that are doubted or locked. */

import { freshSeconds } from "../../addresses/creation/creation-registry.js";
import { isLockedFor, lockedDueMs } from "../../addresses/observed.js";
import { LIST_MAX_AGE_SECONDS, SETTLE_LIST_SECONDS } from "../../bounds.js";
import type { Clock } from "../../clock.js";
import type { CallContext } from "../../providers/call.js";
import { earliest } from "../../reconcile/iteration.js";
import { resolveClass } from "../../routing/resolved-class.js";
import type { RoutedRead } from "../../routing/resource.js";
import { creationKey, familyOfRouted, type GatherTools, namedAddresses, resolveAccount } from "./gather.js";
import type { Gathered, IssuedGathered } from "./gathered.js";
import { prepareJob } from "./jobs/gather.js";
import { type RoutedState, readOf } from "./routed-state.js";

type Why = (text: string) => CallContext;

/** What the provider refuses is a failure of the account. */
export async function prepare(tools: GatherTools, state: RoutedState, why: Why): Promise<void> {
  const read = readOf(state);
  if (read === undefined) return;
  state.memory.follower.follow(read.routed);
  const { resolvedClass } = resolveClass(read.routed, tools.routing.lookUp);
  if (resolvedClass?.by === "jobs" && tools.jobs !== undefined) await prepareJob(tools.jobs, state.ref.uid);
  else await prepareAccount(tools, state, read, why);
}

async function prepareAccount(tools: GatherTools, state: RoutedState, read: RoutedRead, why: Why): Promise<void> {
  const { account, resolvedClass } = resolveAccount(tools, state, read);
  if (account === undefined) return;
  const { memory, ref } = state;
  const { clock, creations } = tools.routing.context;
  const { routed } = read;
  const names = namedAddresses(routed);
  memory.account = account;
  account.inventory?.want(ref, names);
  const settling = memory.listObservations.meet(routed.status.pendingCreation, clock.monotonic());
  const others = creations.others(creationKey(state, { resolvedClass, family: familyOfRouted(routed), account }));
  const fresh = Math.min(LIST_MAX_AGE_SECONDS, freshSeconds(others, clock.now()));
  await account.refresh(settling ? SETTLE_LIST_SECONDS : fresh, "assignment");
  const { inventory } = account;
  if (inventory === undefined) return;
  inventory.want(ref, names);
  const view = inventory.view();
  if (view.complete && account.failure === undefined) {
    const unseen = names.filter((ip) => view.get(ip) === undefined && !view.isGone(ip));
    const locked = names.filter((ip) => isLockedFor(view.get(ip)));
    const again = [...unseen, ...locked];
    if (again.length > 0) await account.read(why("the list does not show it as it is"), again);
    await account.rereadUnconfirmed(why("a read contradicted what was done"));
  }
  memory.listObservations.note(inventory.view(), clock.monotonic());
}

/** ms until something is to be read again; `undefined`: only when something happens. */
export function readAgainMs(clock: Pick<Clock, "now">, state: RoutedState, gathered: Gathered): number | undefined {
  if (gathered.by === "jobs") return undefined;
  const dueInMs = gathered.firewall?.view().dueInMs;
  // A read that goes on asks for a run when it ends.
  if (state.preparing !== undefined) return dueInMs;
  return earliest([dueInMs, ...accountDueMs(clock.now(), gathered)]);
}

function accountDueMs(now: number, { account, snapshot }: IssuedGathered): readonly (number | undefined)[] {
  if (account?.failure === undefined) {
    return [listDueMs(account), lockedDueMs(account?.inventory?.view(), namedAddresses(snapshot.routed))];
  }
  const { retryAt = 0 } = account;
  return retryAt > now ? [retryAt - now] : [];
}

/** When the list of the account is to be read again, ms from now; `undefined`: it need not be. */
function listDueMs(account: IssuedGathered["account"]): number | undefined {
  const view = account?.inventory?.view();
  if (view?.complete !== true) return undefined;
  // A list that is just that old still counts: a run at that very moment would read nothing.
  return Math.max(0, LIST_MAX_AGE_SECONDS - view.ageSeconds) * 1000 + 1;
}
