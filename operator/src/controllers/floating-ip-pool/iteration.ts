/**
 * One turn: look, decide, and take what the decision needs, without an `await` in between. No other pool can choose the
 * same node meanwhile.
 */

import { type Goal, goalOfAction, lockKeyOf, movedAddress, readLockKey } from "../../addresses/lock-key.js";
import { isIn, type Regions } from "../../addresses/waiting-nodes.js";
import { MOVE_MAX_AGE_SECONDS, SKIPPED_RETRY_MS } from "../../bounds.js";
import { inPreference } from "../../match/node-preference.js";
import type { ProviderId } from "../../providers/types.js";
import { isDue } from "../../reconcile/retries/retry-schedule.js";
import type { ActionSequence } from "./actions.js";
import { creationKey, type Gathered, type GatherTools, gather, withPendingStatus } from "./gather.js";
import { freeReservations } from "./open-moves.js";
import { type Plan, plan } from "./plan.js";
import type { PoolRead } from "./read-pool.js";
import type { PoolState } from "./resource-state.js";
import type { Pool } from "./snapshot.js";

export interface Start {
  readonly lockKey: string;
  readonly sequence: ActionSequence;
}

export interface Iteration extends Gathered {
  readonly plan: Plan;
  /** To be started now; their subjects are under way from here on. */
  readonly starts: readonly Start[];
  /** Addresses that are about to move on old data: to be read first, then another turn. */
  readonly confirms: readonly string[];
  /** ms since the epoch: when a chain that had to wait may start. */
  readonly startAt: number | undefined;
}

export function startIteration(tools: GatherTools, resourceState: PoolState, read: PoolRead): Iteration {
  freeReservations(tools.context, resourceState, withPendingStatus(resourceState, read.pool));
  const gathered = gather(tools, resourceState, read);
  const made = plan(gathered.snapshot);
  publishNodeRequest(tools, resourceState, gathered, made);
  resourceState.moving = made.sequences.some(isMove);
  watchHolders(resourceState, gathered);
  const { starts, confirms, startAt } = choose(tools, resourceState, gathered, made.sequences);
  for (const { lockKey, sequence } of starts) registry(tools, resourceState, gathered, { lockKey, sequence });
  return { ...gathered, plan: made, starts, confirms, startAt };
}

/** Reads that such a chain waits for are urgent. */
function isMove(sequence: ActionSequence): boolean {
  return sequence.some(({ do: verb }) => verb === "assign" || verb === "unassign" || verb === "poll");
}

/** Others need not wait for a pool that can't act. */
function publishNodeRequest(
  { context }: GatherTools,
  resourceState: PoolState,
  { snapshot, family }: Gathered,
  { waitingNodes: { wants, regions } }: Plan,
): void {
  const able = snapshot.providerFailure === undefined ? wants : 0;
  const { ref, createdAt } = resourceState;
  const { nodePreference = "Stable" } = snapshot.pool.spec;
  const candidates = () => candidatesNow(resourceState, { nodePreference, regions, now: context.clock.now() });
  if (able === 0) context.nodeRequests.withdraw(ref.uid);
  else context.nodeRequests.set(family, { ref, createdAt, wants: able, candidates });
}

interface Wanted {
  readonly nodePreference: NonNullable<Pool["spec"]["nodePreference"]>;
  readonly regions: Regions;
  readonly now: number;
}

function candidatesNow(resourceState: PoolState, { nodePreference, regions, now }: Wanted): readonly ProviderId[] {
  const fit = (resourceState.match.index?.candidates() ?? []).filter((node) => isIn(node, regions));
  const machines = inPreference(fit, nodePreference).flatMap(({ machine }) => machine ?? []);
  return machines.filter((machine) => isDue(resourceState.nodeRetries.get(machine)?.retryAt, now));
}

/** Whatever becomes of the holders of our addresses is told. */
function watchHolders(resourceState: PoolState, { snapshot, snapshot: { inventory } }: Gathered): void {
  const ips = Object.keys(snapshot.pool.status.ips ?? {});
  const named = new Set([...ips, ...(snapshot.pool.spec.ips ?? [])]);
  resourceState.match.index?.watchHolders([...named].flatMap((ip) => inventory.get(ip)?.holder ?? []));
}

type Chosen = Pick<Iteration, "starts" | "confirms" | "startAt">;

function choose(
  tools: GatherTools,
  resourceState: PoolState,
  gathered: Gathered,
  sequences: readonly ActionSequence[],
): Chosen {
  const starts: Start[] = [];
  const confirms: string[] = [];
  const waits: number[] = [];
  for (const sequence of sequences) {
    const lockKey = lockKeyOf(sequence);
    const taken = resourceState.inFlight.has(lockKey) || starts.some((start) => start.lockKey === lockKey);
    const when = taken ? undefined : startTime(tools, resourceState, gathered, { lockKey, sequence });
    const stale = staleAddress(gathered, sequence);
    if (when === undefined) continue;
    if (when > gathered.snapshot.now) waits.push(when);
    else if (stale === undefined) starts.push({ lockKey, sequence });
    else if (!resourceState.inFlight.has(readLockKey(stale))) confirms.push(stale);
  }
  for (const ip of confirms) resourceState.inFlight.add(readLockKey(ip));
  return { starts, confirms, startAt: waits.length === 0 ? undefined : Math.min(...waits) };
}

/** What the plan says now, though nothing is begun: for the status. */
export function evaluate(tools: GatherTools, resourceState: PoolState, read: PoolRead): Iteration {
  const gathered = gather(tools, resourceState, read);
  const made = plan(gathered.snapshot);
  const { now } = gathered.snapshot;
  const waiting = made.sequences.map((sequence) => ({ lockKey: lockKeyOf(sequence), sequence }));
  const times = waiting
    .filter(({ lockKey }) => !resourceState.inFlight.has(lockKey))
    .map((start) => startTime(tools, resourceState, gathered, start))
    .flatMap((at) => (at > now ? at : tools.context.settings.dryRun ? [] : now + SKIPPED_RETRY_MS));
  const startAt = times.length === 0 ? undefined : Math.min(...times);
  return { ...gathered, plan: made, starts: [], confirms: [], startAt };
}

/** ms since the epoch, now or later. */
function startTime({ context }: GatherTools, resourceState: PoolState, { snapshot }: Gathered, start: Start): number {
  const { now } = snapshot;
  const retryAt = resourceState.retries.get(start.lockKey)?.retryAt;
  const action = start.sequence[0];
  const poll = action?.do === "poll" ? resourceState.polls.get(action.ip) : undefined;
  const pollAt = poll === undefined ? now : now + (poll.nextAt - context.clock.monotonic());
  return Math.max(isDue(retryAt, now) ? now : (retryAt ?? now), pollAt, now);
}

function staleAddress({ snapshot }: Gathered, sequence: ActionSequence): string | undefined {
  const ip = movedAddress(sequence);
  const facts = ip === undefined ? undefined : snapshot.inventory.get(ip);
  return facts !== undefined && facts.ageSeconds > MOVE_MAX_AGE_SECONDS ? ip : undefined;
}

/** Takes the subject, the node that the chain goes to, and the account's turn to create. */
function registry(
  { context }: GatherTools,
  resourceState: PoolState,
  gathered: Gathered,
  { lockKey, sequence }: Start,
): void {
  resourceState.inFlight.add(lockKey);
  if (sequence.some((action) => action.do === "record-assignment")) resourceState.assigning.add(lockKey);
  const { account, snapshot } = gathered;
  const goal = goalOf(sequence);
  const reservation = goal && account?.inventory?.reserve(goal.node, resourceState.ref);
  if (goal !== undefined && reservation !== undefined) resourceState.reservations.set(goal.key, reservation);
  showMove(resourceState, snapshot.pool, sequence);
  if (!sequence.some((action) => action.do === "create-address")) return;
  const node = goal === undefined ? {} : { node: goal.node };
  context.creations.set({ ...creationKey(resourceState, snapshot.pool, gathered), ...node, running: true });
}

/** Until the call is answered, the status says where the address goes. */
function showMove(resourceState: PoolState, { status }: Pool, sequence: ActionSequence): void {
  const move = sequence.find((action) => action.do === "assign");
  if (move?.do !== "assign") return;
  const { ip, node } = move;
  const before = status.ips?.[ip];
  if (before === undefined) resourceState.beforeMoves.delete(ip);
  else resourceState.beforeMoves.set(ip, before);
  const graceSince = status.ips?.[ip]?.graceSince;
  const grace = graceSince === undefined ? {} : { graceSince };
  resourceState.pendingStatus.set(ip, {
    state: "in-progress",
    nodeName: node.name,
    providerID: node.machine,
    ...grace,
  });
}

function goalOf(sequence: ActionSequence): Goal | undefined {
  for (const action of sequence) {
    const goal = goalOfAction(action);
    if (goal !== undefined) return goal;
  }
  return undefined;
}
