/**
 * The cached state of one address, and how a read or the latest action of the account changes it. Pure. Reads may be late,
 * so one that contradicts an action counts only after a while: docs/explanation/cached-state.md has the rules.
 */

import type { ActionFacts, AddressFacts, LatestAction, ProviderId } from "../providers/types.js";
import {
  ACTION_SECONDS,
  MOVE_MAX_AGE_SECONDS,
  READ_PAUSE_MS,
  SECOND_MS,
  SECOND_READ_SECONDS,
  SETTLE_SECONDS,
  UNKNOWN_ACTION_SECONDS,
} from "../timings.js";
import { omitUndefined } from "../values.js";

/** An action of the operator. */
export interface OwnAction {
  /** Empty: the answer that names it was lost. */
  readonly id: string;
  /** The holder once it is completed; `undefined`: none. */
  readonly expected: ProviderId | undefined;
}

export interface InFlight extends OwnAction {
  /** When this process began it, or met it in a status. */
  readonly since: number;
  /** A read has shown the address without a lock and not at its goal, since then. */
  readonly missedSince?: number;
  /** A read has shown the lock: the action has begun. */
  readonly locked?: true;
  /** The answer was lost, and the latest action of the address has been asked for: once is enough. */
  readonly asked?: true;
  /** The id comes from the list of actions, which does not name the node: at its end, reads show whether it was ours. */
  readonly inferred?: true;
  /** The API calls it completed; a read is still to confirm that. */
  readonly over?: true;
}

/** All times are monotonic ms. */
export interface CachedState {
  readonly facts: AddressFacts;
  /** When `facts` was true: read, or reported by a completed action. */
  readonly at: number;
  /** When our last write to it was sent; reads that began before it are of the past. */
  readonly writtenAt?: number;
  /** When our last call was handed to the provider, which may have sent it later. */
  readonly calledAt?: number;
  /** When the answer to our last call got lost. */
  readonly lostAt?: number;
  /** The last action of ours whose id the API gave. */
  readonly lastId?: string;
  /** When our last action on it was completed. */
  readonly actedAt?: number;
  /** When our own call created it: a read that does not find it soon after comes from a late replica. */
  readonly createdAt?: number;
  /** An action of ours that runs. */
  readonly running?: InFlight;
  /** The last action of ours that did not end at its goal: a status that still names it is outdated. */
  readonly ended?: OwnAction;
  /** Since when it has been locked by an action without an id: of another party, or of ours after its deadline. */
  readonly lockedSince?: number;
  /** What reads say that contradict us, since when. */
  readonly contradiction?: { readonly key: string; readonly since: number };
}

/** What a read said, and when it began. `undefined` facts: the address does not exist. */
export interface Observation {
  readonly facts: AddressFacts | undefined;
  readonly askedAt: number;
  /** A read of this address alone, because a move waits for it: a contradiction counts though our action is recent. */
  readonly forMove?: boolean;
  /** And no node of the cluster is the holder any more: one such read suffices to show that the address has no holder. */
  readonly holderGone?: boolean;
}

/** The cached state after a read. `undefined`: the address is gone. */
export function observe(cachedState: CachedState | undefined, observation: Observation): CachedState | undefined {
  const { facts, askedAt } = observation;
  if (cachedState === undefined) return facts === undefined ? undefined : accept({ facts, at: askedAt }, observation);
  if (cachedState.writtenAt !== undefined && askedAt < cachedState.writtenAt) return cachedState;
  // One read that does not find an address may be a fault of the API, whoever put it there.
  if (facts === undefined)
    return isJustCreated(cachedState, askedAt) ? cachedState : observeContradiction(cachedState, observation);
  if (cachedState.running !== undefined)
    return observeRunning(cachedState, cachedState.running, { ...observation, facts });
  if (cachedState.actedAt === undefined || agrees(cachedState, facts)) return accept(cachedState, observation);
  return observeContradiction(cachedState, observation);
}

/** A read or call that does not find it says nothing yet. */
export function isJustCreated(cachedState: CachedState | undefined, askedAt: number): boolean {
  const { createdAt } = cachedState ?? {};
  return createdAt !== undefined && askedAt - createdAt < SETTLE_SECONDS * SECOND_MS;
}

/** Our own call has created it, on this machine if an action is under way. */
export function created(facts: AddressFacts, action: OwnAction | undefined, now: number): CachedState {
  const state = { facts, at: now, writtenAt: now, actedAt: now, createdAt: now };
  return action === undefined ? state : started(state, action, now);
}

/** Our action on it has begun, or goes on. */
export function started(cachedState: CachedState, action: OwnAction, now: number): CachedState {
  const { running } = cachedState;
  if (running?.id === action.id && running.expected === action.expected) return cachedState;
  return { ...follow(cachedState, action, now), writtenAt: now };
}

/** An action that a former process began: its deadline counts from now, since this process has seen none of it. */
export function follow(cachedState: CachedState, { id, expected }: OwnAction, now: number): CachedState {
  const { contradiction: _contradiction, ended: _ended, lockedSince: _locked, ...rest } = cachedState;
  const shown = id === "" ? {} : { id };
  return { ...rest, facts: { ...cachedState.facts, action: shown }, running: { id, expected, since: now } };
}

/** Our action on it is completed: `holder` has it now. */
export function completed(cachedState: CachedState, holder: ProviderId | undefined, now: number): CachedState {
  const { running: _running, ended: _ended, contradiction: _c, lockedSince: _locked, ...rest } = cachedState;
  const { holder: _holder, action: _action, ...facts } = cachedState.facts;
  const held = holder === undefined ? facts : { ...facts, holder };
  return { ...rest, facts: held, at: now, writtenAt: now, actedAt: now };
}

/** Our action on it has failed, or its outcome stays unknown: the next read counts at once. @param lostAt where the answer got lost */
export function abandoned(cachedState: CachedState, lostAt?: number): CachedState {
  const { running, actedAt: _acted, contradiction: _contradiction, ...rest } = cachedState;
  const { action: _action, ...facts } = cachedState.facts;
  const ended = running === undefined ? {} : { ended: { id: running.id, expected: running.expected } };
  return { ...rest, facts, ...ended, ...omitUndefined({ lostAt }) };
}

/** A change of ours waits until reads show our last action, or count. `undefined`: they count now. */
export function awaitingRead(cachedState: CachedState | undefined, now: number): CachedState | undefined {
  if (cachedState === undefined || !isEarly(cachedState.actedAt, now)) return undefined;
  return { ...cachedState, contradiction: { key: AWAITED, since: now } };
}

/** No read says this, so it is never the first of two that agree. */
const AWAITED = "awaited";

function isEarly(actedAt: number | undefined, askedAt: number): boolean {
  return actedAt !== undefined && askedAt - actedAt < SETTLE_SECONDS * SECOND_MS;
}

/** When an action of ours must be resolved, whatever the API says of it. */
export function deadlineOf({ id, since }: InFlight): number {
  return since + (id === "" ? UNKNOWN_ACTION_SECONDS : ACTION_SECONDS) * SECOND_MS;
}

/** What became of an action, once its address has been read. @param cachedState after that read */
export function resolution(
  cachedState: CachedState | undefined,
  { ip, id, expected, since }: InFlight & { readonly ip: string },
  now: number,
): ActionFacts {
  if (cachedState?.running !== undefined) return { id, ip, state: "in-progress" };
  if (cachedState !== undefined && cachedState.facts.holder === expected) return { id, ip, state: "completed" };
  if (cachedState === undefined) return { id, ip, state: "errored", message: "the address is gone" };
  const place = cachedState.facts.holder === undefined ? "on no node" : `on ${cachedState.facts.holder}`;
  const seconds = Math.round((now - since) / SECOND_MS);
  return { id, ip, state: "errored", message: `the address is ${place}, ${seconds} s after the call` };
}

/** While our action runs, a read shows its beginning or its end; at its deadline, what the read shows is its end. */
function observeRunning(
  { contradiction: _contradiction, ...cachedState }: CachedState,
  running: InFlight,
  observation: Observation & { readonly facts: AddressFacts },
): CachedState | undefined {
  const { facts, askedAt } = observation;
  const over = facts.holder === running.expected && facts.action === undefined;
  if (over && facts.holder !== cachedState.facts.holder)
    return completed({ ...cachedState, facts }, running.expected, askedAt);
  const seen = noteRead(running, facts, askedAt);
  if (askedAt >= deadlineOf(running) || hasMissed(seen, askedAt))
    return accept({ ...abandoned(cachedState), lockedSince: running.since }, observation);
  return { ...cachedState, at: askedAt, running: seen };
}

function noteRead(running: InFlight, facts: AddressFacts, askedAt: number): InFlight {
  const { missedSince, ...rest } = running;
  if (facts.action !== undefined) return { ...rest, locked: true };
  return facts.holder === running.expected ? rest : { ...rest, missedSince: missedSince ?? askedAt };
}

/** No id or an inferred one, it has begun, and since then two reads showed neither the lock nor the goal. */
function hasMissed({ id, locked, inferred, over, missedSince }: InFlight, askedAt: number): boolean {
  const begun = inferred === true ? over === true : id === "" && locked === true;
  if (!begun || missedSince === undefined) return false;
  return askedAt - missedSince >= SECOND_READ_SECONDS * SECOND_MS;
}

/** Too early: nothing, unless a move waits for it. The first: unconfirmed. The second, some time later: it counts. */
function observeContradiction(cachedState: CachedState, observation: Observation): CachedState | undefined {
  const { facts, askedAt, forMove = false } = observation;
  if (isProof(observation)) return overrule(cachedState, observation);
  const { contradiction } = cachedState;
  if (isEarly(cachedState.actedAt, askedAt) && !forMove) {
    if (contradiction === undefined) return cachedState;
    if (contradiction.key === AWAITED) return awaitingRead(cachedState, askedAt);
  }
  const key = keyOf(facts);
  if (contradiction?.key !== key) return { ...cachedState, contradiction: { key, since: askedAt } };
  if (askedAt - contradiction.since < SECOND_READ_SECONDS * SECOND_MS) return cachedState;
  return overrule(cachedState, observation);
}

/** Both APIs agree: the node is gone, and the address has no holder. */
function isProof({ facts, forMove = false, holderGone = false }: Observation): boolean {
  return forMove && holderGone && facts !== undefined && facts.holder === undefined;
}

function overrule({ actedAt: _acted, ...rest }: CachedState, observation: Observation): CachedState | undefined {
  return accept(rest, observation);
}

function accept(cachedState: CachedState, observation: Observation): CachedState | undefined {
  const { facts, askedAt } = observation;
  if (facts === undefined) return undefined;
  const { contradiction: _contradiction, lockedSince = askedAt, ...rest } = cachedState;
  const locked = facts.action === undefined ? {} : { lockedSince };
  // Only the list of ranges says that an address is borrowed.
  const borrowed = cachedState.facts.borrowed === true ? { borrowed: true } : {};
  return { ...rest, ...locked, facts: { ...borrowed, ...facts }, at: shownAt(cachedState, observation) };
}

/** A read right after a lost answer may be earlier than the effect of the call, and not every API shows a lock meanwhile: a move reads once more. */
function shownAt({ lostAt }: CachedState, { askedAt, forMove = false }: Observation): number {
  if (lostAt === undefined || forMove || askedAt - lostAt >= READ_PAUSE_MS) return askedAt;
  return askedAt - MOVE_MAX_AGE_SECONDS * SECOND_MS - 1;
}

function agrees({ facts }: CachedState, seen: AddressFacts): boolean {
  return seen.holder === facts.holder;
}

function keyOf(facts: AddressFacts | undefined): string {
  return facts === undefined ? "gone" : facts.holder === undefined ? "unassigned" : `held by ${facts.holder}`;
}

/** Both clocks at one moment. */
interface Moment {
  /** ms since the epoch. */
  readonly now: number;
  readonly monotonic: number;
}

/**
 * What the latest action says of our own one whose answer was lost. An action that is not ours says nothing: our
 * request may still arrive. The API rounds times down to seconds, so the comparison does, too.
 */
export function withLatest(
  cachedState: CachedState,
  running: InFlight,
  latest: LatestAction | undefined,
  moment: Moment,
): CachedState {
  const asked: InFlight = { ...running, asked: true };
  if (latest === undefined || !isOurs(cachedState, running, latest, moment)) return { ...cachedState, running: asked };
  const inferred: InFlight = { ...asked, id: latest.id, inferred: true };
  if (latest.state === "errored") return abandoned({ ...cachedState, running: inferred });
  const facts = { ...cachedState.facts, action: { id: latest.id } };
  return { ...cachedState, facts, running: latest.state === "completed" ? { ...inferred, over: true } : inferred };
}

/** A clock that is wrong makes an action of ours look old: then reads decide, as they do without a list of actions. */
function isOurs(
  { calledAt, lastId }: CachedState,
  { expected }: InFlight,
  { id, verb, startedAt, state }: LatestAction,
  { now, monotonic }: Moment,
): boolean {
  if (id === lastId || verb !== (expected === undefined ? "unassign" : "assign")) return false;
  // A former process sent the call: what runs now keeps the address locked, whoever began it.
  if (calledAt === undefined) return state === "in-progress";
  const sentAt = now - (monotonic - calledAt);
  return startedAt >= Math.floor(sentAt / SECOND_MS) * SECOND_MS;
}
