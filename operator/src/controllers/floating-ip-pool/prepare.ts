/** What has to be read before a turn: the account's list, addresses that it lacks, those that are doubted or locked. */

import { familyOf } from "cdk8s-flipop/api";
import { type InventoryAddress, LIST_MAX_AGE_SECONDS } from "../../inventory/types.js";
import type { CallContext } from "../../providers/call.js";
import { AddressAccount, ALONE } from "../address-accounts.js";
import type { ControllerContext } from "../context.js";
import { addressesOf } from "./gather.js";
import { LISTS_APART_MS } from "./settlement.js";
import { type Pool, withList } from "./snapshot.js";
import type { PoolUnit } from "./unit.js";
import { familyOfPool } from "./wish.js";

/** A lost creation is looked for in lists that are this young, seconds: a little less than lies between two of them. */
const SETTLE_LIST_SECONDS = LISTS_APART_MS / 1000 - 1;
/** While somebody else undoes our moves, seconds: a third time within ten minutes has to be noticed. */
const WATCH_LIST_SECONDS = 120;
/** An address that somebody else's action has locked is looked at again after this, seconds. */
const LOCKED_LOOK_SECONDS = 5;

/** Never rejects: what can't be read is a failure of the account. */
export async function prepare(
  context: ControllerContext,
  unit: PoolUnit,
  pool: Pool,
  why: (text: string) => CallContext,
): Promise<void> {
  const account = context.accounts.find(pool.spec.provider, familyOfPool(pool));
  if (!(account instanceof AddressAccount)) return;
  tellNames(account, unit, pool);
  const settling = meetIntent(context, unit, pool);
  await account.refresh(settling ? SETTLE_LIST_SECONDS : listSeconds(unit), "assignment");
  tellNames(account, unit, pool);
  await readOthers(account, unit, pool, why);
  noteList(context, unit, { account, settling });
}

/** When the list of the account is to be read again, ms from now; `undefined`: nobody knows the account yet. */
export function listDueMs(account: AddressAccount | undefined, unit: PoolUnit): number | undefined {
  const age = account?.inventory?.view().ageSeconds;
  // One that is just that old still counts: a look at that very moment would come to nothing, and again, and again.
  return age === undefined || !Number.isFinite(age) ? undefined : Math.max(0, listSeconds(unit) - age) * 1000 + 1;
}

function listSeconds({ reverts }: PoolUnit): number {
  return reverts.size > 0 ? WATCH_LIST_SECONDS : LIST_MAX_AGE_SECONDS;
}

/** When an address of the pool that is locked is to be looked at again, ms from now. */
export function lockedDueMs(account: AddressAccount | undefined, pool: Pool): number | undefined {
  const view = account?.inventory?.view();
  if (view === undefined) return undefined;
  const locked = addressesOf(pool)
    .flatMap((ip) => view.get(ip) ?? [])
    .filter(isLocked);
  const ages = locked.map(({ ageSeconds }) => Math.max(0, LOCKED_LOOK_SECONDS - ageSeconds) * 1000);
  return ages.length === 0 ? undefined : Math.min(...ages);
}

function tellNames({ inventory }: AddressAccount, unit: PoolUnit, pool: Pool): void {
  inventory?.want(unit.ref, addressesOf(pool));
}

async function readOthers(
  account: AddressAccount,
  unit: PoolUnit,
  pool: Pool,
  why: (text: string) => CallContext,
): Promise<void> {
  const view = account.inventory?.view();
  if (view?.complete !== true || account.failure !== undefined) return;
  const ips = addressesOf(pool).filter((ip) => !unit.underWay.has(`address ${ip}`));
  const unread = ips.filter((ip) => view.get(ip) === undefined && !view.isGone(ip) && familyOf(ip) === account.family);
  if (unread.length > ALONE) await account.refresh(0, "assignment");
  else if (unread.length > 0) await account.read(why("no list has shown it yet"), unread);
  await account.settleDoubts(why("a read contradicted what was done"));
  const locked = ips.filter((ip) => isLockedFor(view.get(ip)));
  if (locked.length > 0) await account.read(why("another action runs on it"), locked);
}

/** An action whose id nobody knows: only the address itself shows its end. */
function isLocked({ action }: InventoryAddress): boolean {
  return action !== undefined && action.id === undefined;
}

function isLockedFor(address: InventoryAddress | undefined): boolean {
  return address !== undefined && isLocked(address) && address.ageSeconds >= LOCKED_LOOK_SECONDS;
}

interface Listing {
  readonly account: AddressAccount;
  readonly settling: boolean;
}

/** Whether a creation is open; remembers since when this process has known it. */
function meetIntent(
  { clock }: ControllerContext,
  unit: PoolUnit,
  { status: { pendingCreation: intent } }: Pool,
): boolean {
  const { openIntent } = unit;
  if (intent === undefined) unit.openIntent = undefined;
  else if (openIntent?.startedAt !== intent.startedAt) {
    unit.openIntent = { startedAt: intent.startedAt, metAt: clock.monotonic() };
  }
  return intent !== undefined;
}

/** Remembers each whole list while a creation has no end. */
function noteList({ clock }: ControllerContext, unit: PoolUnit, { account, settling }: Listing): void {
  if (!settling) {
    unit.lists = [];
    return;
  }
  const view = account.inventory?.view();
  if (view?.complete !== true) return;
  const listedAt = clock.monotonic() - view.ageSeconds * 1000;
  // The same list again, but for rounding.
  if (listedAt < unit.lastListAt + 1) return;
  unit.lastListAt = listedAt;
  const unassigned = [...view.addresses.values()].filter(({ holder }) => holder === undefined).map(({ ip }) => ip);
  unit.lists = withList(unit.lists, { at: listedAt, unassigned: new Set(unassigned) });
}
