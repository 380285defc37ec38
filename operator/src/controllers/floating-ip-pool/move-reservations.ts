/**
 * Reserves for a move what other resources may want, too: its node, and the account's turn to create. A move that a status
 * shows keeps its node also in the next process. Records the end of a pool's creation.
 */

import { canonicalIp, type FloatingIPPoolStatus } from "cdk8s-flipop/api";
import { AddressAccount } from "../../addresses/accounts/address-account.js";
import {
  type AddressAction,
  addressLockKey,
  CREATION,
  type Goal,
  goalOfAction,
  type PlannedAction,
} from "../../addresses/actions.js";
import {
  type CreationFields,
  endCreation as endAnyCreation,
  noteCreation as noteAnyCreation,
  recordCreation as recordAnyCreation,
} from "../../addresses/creation/create-address.js";
import { regionOfCreation } from "../../addresses/creation/creation-registry.js";
import type { CreationResult } from "../../addresses/creation/creation-result.js";
import { movedIps } from "../../addresses/safeguards.js";
import { familyOfPool } from "../../claims/pool-family.js";
import type { Clock } from "../../clock.js";
import { hasEnded, type InventoryView } from "../../inventory/view.js";
import type { ProviderId } from "../../providers/types.js";
import { type ActionSequence, actionsOf } from "../../reconcile/plan.js";
import type { ControllerContext } from "../context.js";
import { latestPool, type PoolState } from "./resource.js";
import { CREATION_FIELDS, type Gathered, type Pool } from "./snapshot.js";

/** In the same synchronous step as the decision: reserves the target node, starts the cool-off, counts the move, registers the creation. */
export function reserve(
  { creations, moveLimits }: Pick<ControllerContext, "creations" | "moveLimits">,
  state: PoolState,
  gathered: Gathered,
  sequence: ActionSequence<PlannedAction>,
): void {
  const actions = actionsOf(sequence);
  const { snapshot } = gathered;
  for (const ip of movedIps(sequence)) moveLimits.begin(state.ref.uid, ip);
  const does = (verb: PlannedAction["do"]) => actions.some((action) => action.do === verb);
  if (does("record-assignment")) state.memory.assigning.add(sequence.lockKey);
  const goal = actions.map(goalOf).find((found) => found !== undefined);
  if (goal !== undefined) reserveNode(state, gathered, goal);
  for (const action of actions) if (action.do === "assign") showMove(state, snapshot.pool, action);
  const creation = actions.find((action) => action.do === "create-address");
  if (creation === undefined) return;
  const place = { ...(goal && { node: goal.node }), ...regionOfCreation(creation.desired) };
  creations.set({ ...creationKey(state, snapshot.pool, gathered), ...place, running: true });
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
  const account = accountOf(accounts, latestPool(state)?.pool);
  account?.whenOpen(state.ref, () => {
    const pool = latestPool(state)?.pool;
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

interface Clocked {
  readonly clock: Pick<Clock, "monotonic">;
}

/** Rejects as the API server does; until it takes the result, this process remembers it. */
export function recordCreation(context: Clocked, state: PoolState, result: CreationResult): Promise<void> {
  return recordAnyCreation(fieldsOf(context, state), state, result);
}

export function endCreation(
  context: Clocked & Pick<ControllerContext, "logger">,
  state: PoolState,
  result: CreationResult,
): Promise<void> {
  return endAnyCreation(fieldsOf(context, state), state, { result, logger: context.logger });
}

/** The server dropped a field: nothing is created until a whole status is kept. */
export function noteOlderCrd({ clock }: Clocked, { statusWrites }: PoolState): void {
  statusWrites.droppedAt = clock.monotonic();
}

export function noteCreation(context: ControllerContext, state: PoolState): void {
  const intent = latestPool(state)?.pool.status.pendingCreation;
  const found = intent && context.accounts.find(intent.provider, intent.family);
  const account = found instanceof AddressAccount ? found.inventory : undefined;
  noteAnyCreation(context, { resource: state.ref, running: state.inFlight.has(CREATION), account }, intent);
}

/** The key of the pool in the creation registry. */
export function creationKey(
  { ref }: Pick<PoolState, "ref">,
  { spec }: Pool,
  { family, account }: Pick<Gathered, "family" | "account">,
) {
  return { resource: ref, provider: spec.provider, family, account: account?.inventory };
}

function fieldsOf(context: Clocked, state: PoolState): CreationFields<FloatingIPPoolStatus> {
  return { ...CREATION_FIELDS, onMarkDropped: () => noteOlderCrd(context, state) };
}
