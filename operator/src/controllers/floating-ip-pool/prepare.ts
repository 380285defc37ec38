/** What has to be read before a turn: the account's list, addresses that it lacks, those that are doubted or locked. */

import { familyOf } from "cdk8s-flipop/api";
import { AddressAccount, ALONE } from "../../addresses/address-accounts.js";
import { freshSeconds } from "../../addresses/creation/creation-registry.js";
import { addressLockKey } from "../../addresses/lock-key.js";
import {
  CONTESTED_LIST_MAX_AGE_SECONDS,
  LIST_MAX_AGE_SECONDS,
  LOCKED_READ_SECONDS,
  SETTLE_LIST_SECONDS,
} from "../../bounds.js";
import type { InventoryAddress } from "../../inventory/types.js";
import type { CallContext } from "../../providers/call.js";
import type { ControllerContext } from "../context.js";
import { namedAddresses } from "./gather.js";
import { creationKey } from "./pool-creation.js";
import { knownPool, type PoolState } from "./resource.js";
import type { Gathered, Pool } from "./snapshot.js";
import { familyOfPool } from "./snapshot.js";

/** Never rejects: what can't be read is a failure of the account. */
export async function prepare(
  context: ControllerContext,
  state: PoolState,
  why: (text: string) => CallContext,
): Promise<void> {
  const pool = knownPool(state)?.pool;
  if (pool === undefined) return;
  const account = context.accounts.find(pool.spec.provider, familyOfPool(pool));
  if (!(account instanceof AddressAccount)) return;
  declareNames(account, state, pool);
  const { listObservations, moving } = state.memory;
  const settling = listObservations.meet(pool.status.pendingCreation, context.clock.monotonic());
  const key = creationKey(state, pool, { family: account.family, account });
  const others = freshSeconds(context.creations.others(key), context.clock.now());
  const routine = !settling && !moving && account.readable && others === Number.POSITIVE_INFINITY;
  const maxAge = settling ? SETTLE_LIST_SECONDS : Math.min(listSeconds(state), others);
  await account.refresh(maxAge, routine ? "check" : "assignment");
  declareNames(account, state, pool);
  await readOthers(account, state, pool, why);
  listObservations.note(account.inventory?.view(), context.clock.monotonic());
}

/** ms until the account, an address or the record set is to be read again. */
export function readAgainMs(state: PoolState, { snapshot, account }: Gathered): number | undefined {
  const { now, pool, dns } = snapshot;
  const due = [account?.retryAt, dns?.readAgainAt].flatMap((at) => (at === undefined ? [] : Math.max(0, at - now)));
  // An account that does not answer is read when its next try is due, and no sooner.
  const reads = account?.failure === undefined ? [listDueMs(account, state), lockedDueMs(account, pool)] : [];
  const waits = [...due, ...reads].filter((ms) => ms !== undefined);
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** When the list of the account is to be read again, ms from now; `undefined`: the account is not known yet. */
function listDueMs(account: AddressAccount | undefined, state: PoolState): number | undefined {
  const age = account?.inventory?.view().ageSeconds;
  // One that is just that old still counts: a run at that very moment would read nothing, and would ask for the next run at once.
  return age === undefined || !Number.isFinite(age) ? undefined : Math.max(0, listSeconds(state) - age) * 1000 + 1;
}

function listSeconds({ memory: { reverts } }: PoolState): number {
  return reverts.size > 0 ? CONTESTED_LIST_MAX_AGE_SECONDS : LIST_MAX_AGE_SECONDS;
}

/** When an address of the pool that is locked is to be looked at again, ms from now. */
function lockedDueMs(account: AddressAccount | undefined, pool: Pool): number | undefined {
  const view = account?.inventory?.view();
  if (view === undefined) return undefined;
  const locked = namedAddresses(pool)
    .flatMap((ip) => view.get(ip) ?? [])
    .filter(isLocked);
  const ages = locked.map(({ ageSeconds }) => Math.max(0, LOCKED_READ_SECONDS - ageSeconds) * 1000);
  return ages.length === 0 ? undefined : Math.min(...ages);
}

function declareNames({ inventory }: AddressAccount, state: PoolState, pool: Pool): void {
  inventory?.want(state.ref, namedAddresses(pool));
}

async function readOthers(
  account: AddressAccount,
  state: PoolState,
  pool: Pool,
  why: (text: string) => CallContext,
): Promise<void> {
  const view = account.inventory?.view();
  if (view?.complete !== true || account.failure !== undefined) return;
  const ips = namedAddresses(pool).filter((ip) => !state.inFlight.has(addressLockKey(ip)));
  const unread = ips.filter((ip) => view.get(ip) === undefined && !view.isGone(ip) && familyOf(ip) === account.family);
  if (unread.length > ALONE) await account.refresh(0, "assignment");
  else if (unread.length > 0) await account.read(why("no list has shown it yet"), unread);
  await account.rereadUnconfirmed(why("a read contradicted what was done"));
  const locked = ips.filter((ip) => isLockedFor(view.get(ip)));
  if (locked.length > 0) await account.read(why("another action runs on it"), locked);
}

/** Another party's action: only the address itself shows its end. The operator polls its own. */
function isLocked({ action, inFlight }: InventoryAddress): boolean {
  return action !== undefined && action.id === undefined && inFlight === undefined;
}

export function isLockedFor(address: InventoryAddress | undefined): boolean {
  return address !== undefined && isLocked(address) && address.ageSeconds >= LOCKED_READ_SECONDS;
}
