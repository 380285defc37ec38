/** Moves that the status tells of: they hold their node, in the next process, too. */

import { canonicalIp } from "cdk8s-flipop/api";
import { AddressAccount } from "../../addresses/address-accounts.js";
import { addressLockKey, CREATION } from "../../addresses/lock-key.js";
import { hasEnded, type InventoryView } from "../../inventory/types.js";
import type { ProviderId } from "../../providers/types.js";
import type { ControllerContext } from "../context.js";
import { familyOfPool } from "./address-set.js";
import type { PoolState } from "./resource-state.js";
import type { Pool } from "./snapshot.js";

/** Nodes that addresses of the pool are on their way to, by address. Pure. */
export function openMoves({ status }: Pool, view: Pick<InventoryView, "get">): ReadonlyMap<string, ProviderId> {
  const entries = Object.entries(status.ips ?? {}).map(([ip, entry]) => ({ ip: canonicalIp(ip), ...entry }));
  const moves = entries.flatMap(({ ip, state, actionID, providerID }) => {
    const moving = state === "in-progress" && actionID !== undefined && providerID !== undefined;
    if (!moving || hasEnded(view.get(ip), { id: actionID, expected: providerID })) return [];
    return view.get(ip)?.holder !== providerID ? [[ip, providerID] as const] : [];
  });
  return new Map(moves);
}

/** Before anybody decides on the account's nodes: moves of a former process hold theirs again. */
export function reserveOpenMoves({ accounts }: Pick<ControllerContext, "accounts">, resourceState: PoolState): void {
  const account = accountOf(accounts, resourceState.read()?.pool);
  account?.whenOpen(resourceState.ref, () => {
    const pool = resourceState.read()?.pool;
    const { inventory } = account;
    if (pool === undefined || inventory === undefined) return;
    for (const [ip, node] of openMoves(pool, inventory.view())) {
      const reservation = resourceState.reservations.has(ip) ? undefined : inventory.reserve(node, resourceState.ref);
      if (reservation !== undefined) resourceState.reservations.set(ip, reservation);
    }
  });
}

/** A move that has ended gives its node free, however it ended and whoever noticed. */
export function freeReservations(
  { accounts }: Pick<ControllerContext, "accounts">,
  resourceState: PoolState,
  pool: Pool,
): void {
  if (resourceState.reservations.size === 0) return;
  const view = accountOf(accounts, pool)?.inventory?.view();
  const open: ReadonlyMap<string, ProviderId> = view === undefined ? new Map() : openMoves(pool, view);
  const isOpen = (key: string, node: ProviderId) =>
    view?.get(key)?.inFlight?.expected === node || open.get(key) === node;
  for (const [key, reservation] of resourceState.reservations) {
    if (isInFlight(resourceState, key) || isOpen(key, reservation.node)) continue;
    reservation.release();
    resourceState.reservations.delete(key);
    resourceState.polls.delete(key);
  }
}

function isInFlight({ inFlight }: PoolState, key: string): boolean {
  return inFlight.has(key === CREATION ? CREATION : addressLockKey(key));
}

function accountOf(accounts: ControllerContext["accounts"], pool: Pool | undefined): AddressAccount | undefined {
  const account = pool && accounts.find(pool.spec.provider, familyOfPool(pool));
  return account instanceof AddressAccount ? account : undefined;
}
