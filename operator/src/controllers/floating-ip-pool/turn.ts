/**
 * One turn: look, decide, and take what the decision needs, without an `await` in between. No other pool can choose the
 * same node meanwhile.
 */

import { MOVE_MAX_AGE_SECONDS, SKIPPED_RETRY_MS } from "../../bounds.js";
import { inPreference } from "../../match/node-preference.js";
import type { ProviderId } from "../../providers/types.js";
import { isDue } from "../retry-schedule.js";
import type { Chain } from "./actions.js";
import { creationKey, type Gathered, type GatherTools, gather, withEffects } from "./gather.js";
import { freeReservations } from "./open-moves.js";
import { type Plan, plan } from "./plan.js";
import type { PoolRead } from "./read-pool.js";
import { isIn, type Regions } from "./regions.js";
import type { Pool } from "./snapshot.js";
import { type Goal, goalOfAction, movedAddress, readSubject, subjectOf } from "./subject.js";
import type { PoolUnit } from "./unit.js";

export interface Start {
  readonly subject: string;
  readonly chain: Chain;
}

export interface Turn extends Gathered {
  readonly plan: Plan;
  /** To be started now; their subjects are under way from here on. */
  readonly starts: readonly Start[];
  /** Addresses that are about to move on old data: to be read first, then another turn. */
  readonly confirms: readonly string[];
  /** ms since the epoch: when a chain that had to wait may start. */
  readonly startAt: number | undefined;
}

export function takeTurn(tools: GatherTools, unit: PoolUnit, read: PoolRead): Turn {
  freeReservations(tools.context, unit, withEffects(unit, read.pool));
  const gathered = gather(tools, unit, read);
  const made = plan(gathered.snapshot);
  tellDemand(tools, unit, gathered, made);
  unit.moving = made.chains.some(isMove);
  watchHolders(unit, gathered);
  const { starts, confirms, startAt } = choose(tools, unit, gathered, made.chains);
  for (const { subject, chain } of starts) book(tools, unit, gathered, { subject, chain });
  return { ...gathered, plan: made, starts, confirms, startAt };
}

/** Reads that such a chain waits for are urgent. */
function isMove(chain: Chain): boolean {
  return chain.some(({ do: verb }) => verb === "assign" || verb === "unassign" || verb === "poll");
}

/** Others need not wait for a pool that can't act. */
function tellDemand(
  { context }: GatherTools,
  unit: PoolUnit,
  { snapshot, family }: Gathered,
  { demand: { wants, regions } }: Plan,
): void {
  const able = snapshot.providerFailure === undefined ? wants : 0;
  const { ref, createdAt } = unit;
  const { nodePreference = "Stable" } = snapshot.pool.spec;
  const candidates = () => candidatesNow(unit, { nodePreference, regions, now: context.clock.now() });
  if (able === 0) context.demands.withdraw(ref.uid);
  else context.demands.set(family, { ref, createdAt, wants: able, candidates });
}

interface Wanted {
  readonly nodePreference: NonNullable<Pool["spec"]["nodePreference"]>;
  readonly regions: Regions;
  readonly now: number;
}

function candidatesNow(unit: PoolUnit, { nodePreference, regions, now }: Wanted): readonly ProviderId[] {
  const fit = (unit.match.index?.candidates() ?? []).filter((node) => isIn(node, regions));
  const machines = inPreference(fit, nodePreference).flatMap(({ machine }) => machine ?? []);
  return machines.filter((machine) => isDue(unit.nodeRetries.get(machine)?.retryAt, now));
}

/** Whatever becomes of the holders of our addresses is told. */
function watchHolders(unit: PoolUnit, { snapshot, snapshot: { inventory } }: Gathered): void {
  const ips = Object.keys(snapshot.pool.status.ips ?? {});
  const named = new Set([...ips, ...(snapshot.pool.spec.ips ?? [])]);
  unit.match.index?.watchHolders([...named].flatMap((ip) => inventory.get(ip)?.holder ?? []));
}

type Chosen = Pick<Turn, "starts" | "confirms" | "startAt">;

function choose(tools: GatherTools, unit: PoolUnit, gathered: Gathered, chains: readonly Chain[]): Chosen {
  const starts: Start[] = [];
  const confirms: string[] = [];
  const waits: number[] = [];
  for (const chain of chains) {
    const subject = subjectOf(chain);
    const taken = unit.underWay.has(subject) || starts.some((start) => start.subject === subject);
    const when = taken ? undefined : startTime(tools, unit, gathered, { subject, chain });
    const stale = staleAddress(gathered, chain);
    if (when === undefined) continue;
    if (when > gathered.snapshot.now) waits.push(when);
    else if (stale === undefined) starts.push({ subject, chain });
    else if (!unit.underWay.has(readSubject(stale))) confirms.push(stale);
  }
  for (const ip of confirms) unit.underWay.add(readSubject(ip));
  return { starts, confirms, startAt: waits.length === 0 ? undefined : Math.min(...waits) };
}

/** What the plan says now, though nothing is begun: for the status. */
export function look(tools: GatherTools, unit: PoolUnit, read: PoolRead): Turn {
  const gathered = gather(tools, unit, read);
  const made = plan(gathered.snapshot);
  const { now } = gathered.snapshot;
  const waiting = made.chains.map((chain) => ({ subject: subjectOf(chain), chain }));
  const times = waiting
    .filter(({ subject }) => !unit.underWay.has(subject))
    .map((start) => startTime(tools, unit, gathered, start))
    .flatMap((at) => (at > now ? at : tools.context.settings.dryRun ? [] : now + SKIPPED_RETRY_MS));
  const startAt = times.length === 0 ? undefined : Math.min(...times);
  return { ...gathered, plan: made, starts: [], confirms: [], startAt };
}

/** ms since the epoch, now or later. */
function startTime({ context }: GatherTools, unit: PoolUnit, { snapshot }: Gathered, start: Start): number {
  const { now } = snapshot;
  const retryAt = unit.retries.get(start.subject)?.retryAt;
  const action = start.chain[0];
  const poll = action?.do === "poll" ? unit.polls.get(action.ip) : undefined;
  const pollAt = poll === undefined ? now : now + (poll.nextAt - context.clock.monotonic());
  return Math.max(isDue(retryAt, now) ? now : (retryAt ?? now), pollAt, now);
}

function staleAddress({ snapshot }: Gathered, chain: Chain): string | undefined {
  const ip = movedAddress(chain);
  const facts = ip === undefined ? undefined : snapshot.inventory.get(ip);
  return facts !== undefined && facts.ageSeconds > MOVE_MAX_AGE_SECONDS ? ip : undefined;
}

/** Takes the subject, the node that the chain goes to, and the account's turn to create. */
function book({ context }: GatherTools, unit: PoolUnit, gathered: Gathered, { subject, chain }: Start): void {
  unit.underWay.add(subject);
  if (chain.some((action) => action.do === "record-assignment")) unit.assigning.add(subject);
  const { account, snapshot } = gathered;
  const goal = goalOf(chain);
  const reservation = goal && account?.inventory?.reserve(goal.node, unit.ref);
  if (goal !== undefined && reservation !== undefined) unit.reservations.set(goal.key, reservation);
  showMove(unit, snapshot.pool, chain);
  if (!chain.some((action) => action.do === "create-address")) return;
  const node = goal === undefined ? {} : { node: goal.node };
  context.creations.set({ ...creationKey(unit, snapshot.pool, gathered), ...node, running: true });
}

/** Until the call is answered, the status says where the address goes. */
function showMove(unit: PoolUnit, { status }: Pool, chain: Chain): void {
  const move = chain.find((action) => action.do === "assign");
  if (move?.do !== "assign") return;
  const { ip, node } = move;
  const before = status.ips?.[ip];
  if (before === undefined) unit.beforeMoves.delete(ip);
  else unit.beforeMoves.set(ip, before);
  const graceSince = status.ips?.[ip]?.graceSince;
  const grace = graceSince === undefined ? {} : { graceSince };
  unit.effects.set(ip, { state: "in-progress", nodeName: node.name, providerID: node.machine, ...grace });
}

function goalOf(chain: Chain): Goal | undefined {
  for (const action of chain) {
    const goal = goalOfAction(action);
    if (goal !== undefined) return goal;
  }
  return undefined;
}
