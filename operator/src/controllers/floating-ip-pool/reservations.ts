/** What a move takes that others want, too: its node, and the account's turn to create. A move that a status shows holds its node, in the next process, too. */

import { canonicalIp } from "cdk8s-flipop/api";
import type { AddressAction, PlannedAction } from "../../addresses/actions.js";
import { AddressAccount } from "../../addresses/address-accounts.js";
import { addressLockKey, CREATION, type Goal, goalOfAction } from "../../addresses/lock-key.js";
import { hasEnded, type InventoryView } from "../../inventory/types.js";
import type { ProviderId } from "../../providers/types.js";
import { type ActionSequence, actionsOf } from "../../reconcile/plan.js";
import type { ControllerContext } from "../context.js";
import { creationKey } from "./pool-creation.js";
import { knownPool, type PoolState } from "./resource.js";
import type { Gathered, Pool } from "./snapshot.js";
import { familyOfPool } from "./snapshot.js";

/** In the turn of the decision: the node that the sequence goes to, the cool-off, the account's turn to create. */
export function reserve(
  { creations }: Pick<ControllerContext, "creations">,
  state: PoolState,
  gathered: Gathered,
  sequence: ActionSequence<PlannedAction>,
): void {
  const actions = actionsOf(sequence);
  const { snapshot } = gathered;
  const does = (verb: PlannedAction["do"]) => actions.some((action) => action.do === verb);
  if (does("record-assignment")) state.memory.assigning.add(sequence.lockKey);
  const goal = actions.map(goalOf).find((found) => found !== undefined);
  if (goal !== undefined) reserveNode(state, gathered, goal);
  for (const action of actions) if (action.do === "assign") showMove(state, snapshot.pool, action);
  const creation = { ...creationKey(state, snapshot.pool, gathered), ...(goal && { node: goal.node }), running: true };
  if (does("create-address")) creations.set(creation);
}

function reserveNode({ memory, ref }: PoolState, { account }: Gathered, { key, node }: Goal): void {
  const reservation = account?.inventory?.reserve(node, ref);
  if (reservation !== undefined) memory.reservations.set(key, reservation);
}

function goalOf(action: PlannedAction): Goal | undefined {
  return action.do === "confirm-address" ? undefined : goalOfAction(action);
}

/** Until the call is answered, the status says where the address goes. */
function showMove(
  { memory, pendingStatus }: PoolState,
  { status }: Pool,
  { ip, node }: Extract<AddressAction, { readonly do: "assign" }>,
): void {
  const before = status.ips?.[ip];
  if (before === undefined) memory.beforeMoves.delete(ip);
  else memory.beforeMoves.set(ip, before);
  const grace = before?.graceSince === undefined ? {} : { graceSince: before.graceSince };
  pendingStatus.set(["ips", ip], { state: "in-progress", nodeName: node.name, providerID: node.machine, ...grace });
}

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
export function reserveOpenMoves({ accounts }: Pick<ControllerContext, "accounts">, state: PoolState): void {
  const account = accountOf(accounts, knownPool(state)?.pool);
  account?.whenOpen(state.ref, () => {
    const pool = knownPool(state)?.pool;
    const { inventory } = account;
    const { reservations } = state.memory;
    if (pool === undefined || inventory === undefined) return;
    for (const [ip, node] of openMoves(pool, inventory.view())) {
      const reservation = reservations.has(ip) ? undefined : inventory.reserve(node, state.ref);
      if (reservation !== undefined) reservations.set(ip, reservation);
    }
  });
}

/** A move that has ended gives its node free, however it ended and whoever noticed. */
export function freeReservations(
  { accounts }: Pick<ControllerContext, "accounts">,
  state: PoolState,
  pool: Pool,
): void {
  const { reservations, polls } = state.memory;
  if (reservations.size === 0) return;
  const view = accountOf(accounts, pool)?.inventory?.view();
  const open: ReadonlyMap<string, ProviderId> = view === undefined ? new Map() : openMoves(pool, view);
  const isOpen = (key: string, node: ProviderId) =>
    view?.get(key)?.inFlight?.expected === node || open.get(key) === node;
  for (const [key, reservation] of reservations) {
    if (isInFlight(state, key) || isOpen(key, reservation.node)) continue;
    reservation.release();
    reservations.delete(key);
    polls.delete(key);
  }
}

function isInFlight({ inFlight }: PoolState, key: string): boolean {
  return inFlight.has(key === CREATION ? CREATION : addressLockKey(key));
}

function accountOf(accounts: ControllerContext["accounts"], pool: Pool | undefined): AddressAccount | undefined {
  const account = pool && accounts.find(pool.spec.provider, familyOfPool(pool));
  return account instanceof AddressAccount ? account : undefined;
}
