/** Moves that the status tells of: they hold their node, in the next process, too. */

import { canonicalIp } from "cdk8s-flipop/api";
import { hasEnded, type InventoryView } from "../../inventory/types.js";
import type { ProviderId } from "../../providers/types.js";
import { AddressAccount } from "../address-accounts.js";
import type { ControllerContext } from "../context.js";
import type { Pool } from "./snapshot.js";
import { addressSubject, CREATION } from "./subject.js";
import type { PoolUnit } from "./unit.js";
import { familyOfPool } from "./wish.js";

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
export function reserveOpenMoves({ accounts }: Pick<ControllerContext, "accounts">, unit: PoolUnit): void {
  const account = accountOf(accounts, unit.read()?.pool);
  account?.whenOpen(unit.ref, () => {
    const pool = unit.read()?.pool;
    const { inventory } = account;
    if (pool === undefined || inventory === undefined) return;
    for (const [ip, node] of openMoves(pool, inventory.view())) {
      const reservation = unit.reservations.has(ip) ? undefined : inventory.reserve(node, unit.ref);
      if (reservation !== undefined) unit.reservations.set(ip, reservation);
    }
  });
}

/** A move that has ended gives its node free, however it ended and whoever noticed. */
export function freeReservations({ accounts }: Pick<ControllerContext, "accounts">, unit: PoolUnit, pool: Pool): void {
  if (unit.reservations.size === 0) return;
  const view = accountOf(accounts, pool)?.inventory?.view();
  const open: ReadonlyMap<string, ProviderId> = view === undefined ? new Map() : openMoves(pool, view);
  const isOpen = (key: string, node: ProviderId) =>
    view?.get(key)?.inFlight?.expected === node || open.get(key) === node;
  for (const [key, reservation] of unit.reservations) {
    if (isUnderWay(unit, key) || isOpen(key, reservation.node)) continue;
    reservation.release();
    unit.reservations.delete(key);
    unit.polls.delete(key);
  }
}

function isUnderWay({ underWay }: PoolUnit, key: string): boolean {
  return underWay.has(key === CREATION ? CREATION : addressSubject(key));
}

function accountOf(accounts: ControllerContext["accounts"], pool: Pool | undefined): AddressAccount | undefined {
  const account = pool && accounts.find(pool.spec.provider, familyOfPool(pool));
  return account instanceof AddressAccount ? account : undefined;
}
