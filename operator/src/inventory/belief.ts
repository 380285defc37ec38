/**
 * The cached state of one address, and how a read changes it. Pure. Reads of a cloud may be late: a list that began
 * before our write shows the past, and replicas lag. So a read that contradicts what the operator did itself counts only
 * when it is neither early nor alone. Each assumption has a deadline (bounds.ts); after it, reads alone decide.
 */

import { ACTION_SECONDS, SECOND_MS, SECOND_READ_SECONDS, SETTLE_SECONDS, UNKNOWN_ACTION_SECONDS } from "../bounds.js";
import type { ActionFacts, AddressFacts, ProviderId } from "../providers/types.js";

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
export interface Belief {
  readonly facts: AddressFacts;
  /** When `facts` was true: read, or reported by a completed action. */
  readonly at: number;
  /** When our last write to it was sent; reads that began before it are of the past. */
  readonly writtenAt?: number;
  /** When our last call was handed to the provider, which may have sent it later. */
  readonly calledAt?: number;
  /** The last action of ours whose id the API gave. */
  readonly lastId?: string;
  /** When our last action on it was completed. */
  readonly actedAt?: number;
  /** An action of ours that runs. */
  readonly running?: InFlight;
  /** The last action of ours that did not end at its goal: a status that still names it is outdated. */
  readonly ended?: OwnAction;
  /** What reads say that contradict us, since when. */
  readonly doubt?: { readonly key: string; readonly since: number };
}

/** What a read said, and when it began. `undefined` facts: the address does not exist. */
export interface Observation {
  readonly facts: AddressFacts | undefined;
  readonly askedAt: number;
  /** A read of this address alone, because a move waits for it: a contradiction counts though our action is recent. */
  readonly forMove?: boolean;
  /** And no node of the cluster is the holder any more: one such read suffices to show that nobody holds the address. */
  readonly holderGone?: boolean;
}

/** The cached state after a read. `undefined`: the address is gone. */
export function observe(belief: Belief | undefined, observation: Observation): Belief | undefined {
  const { facts, askedAt } = observation;
  if (belief === undefined) return facts === undefined ? undefined : { facts, at: askedAt };
  if (belief.writtenAt !== undefined && askedAt < belief.writtenAt) return belief;
  if (belief.running !== undefined) return observeRunning(belief, belief.running, observation);
  if (belief.actedAt === undefined || agrees(belief, facts)) return accept(belief, observation);
  return observeContradiction(belief, belief.actedAt, observation);
}

/** Our action on it has begun, or goes on. */
export function started(belief: Belief, action: OwnAction, now: number): Belief {
  const { running } = belief;
  if (running?.id === action.id && running.expected === action.expected) return belief;
  return { ...follow(belief, action, now), writtenAt: now };
}

/** An action that a former process began: its deadline counts from now, since this process has seen none of it. */
export function follow(belief: Belief, { id, expected }: OwnAction, now: number): Belief {
  const { doubt: _doubt, ended: _ended, ...rest } = belief;
  const shown = id === "" ? {} : { id };
  return { ...rest, facts: { ...belief.facts, action: shown }, running: { id, expected, since: now } };
}

/** Our action on it is completed: `holder` has it now. */
export function completed(belief: Belief, holder: ProviderId | undefined, now: number): Belief {
  const { running: _running, ended: _ended, doubt: _doubt, ...rest } = belief;
  const { holder: _holder, action: _action, ...facts } = belief.facts;
  const held = holder === undefined ? facts : { ...facts, holder };
  return { ...rest, facts: held, at: now, writtenAt: now, actedAt: now };
}

/** Our action on it has failed, or its outcome stays unknown: the next read counts at once. */
export function abandoned(belief: Belief): Belief {
  const { running, actedAt: _acted, doubt: _doubt, ...rest } = belief;
  const { action: _action, ...facts } = belief.facts;
  const ended = running === undefined ? {} : { ended: { id: running.id, expected: running.expected } };
  return { ...rest, facts, ...ended };
}

/** When an action of ours must be resolved, whatever the API says of it. */
export function deadlineOf({ id, since }: InFlight): number {
  return since + (id === "" ? UNKNOWN_ACTION_SECONDS : ACTION_SECONDS) * SECOND_MS;
}

/** What became of an action, once its address has been read. @param belief after that read */
export function resolution(
  belief: Belief | undefined,
  { ip, id, expected, since }: InFlight & { readonly ip: string },
  now: number,
): ActionFacts {
  if (belief?.running !== undefined) return { id, ip, state: "in-progress" };
  if (belief !== undefined && belief.facts.holder === expected) return { id, ip, state: "completed" };
  if (belief === undefined) return { id, ip, state: "errored", message: "the address is gone" };
  const place = belief.facts.holder === undefined ? "on no node" : `on ${belief.facts.holder}`;
  const seconds = Math.round((now - since) / SECOND_MS);
  return { id, ip, state: "errored", message: `the address is ${place}, ${seconds} s after the call` };
}

/** While our action runs, a read shows its beginning or its end; at its deadline, what the read shows is its end. */
function observeRunning(belief: Belief, running: InFlight, observation: Observation): Belief | undefined {
  const { facts, askedAt } = observation;
  if (facts === undefined) return undefined;
  const over = facts.holder === running.expected && facts.action === undefined;
  if (over && facts.holder !== belief.facts.holder) return completed({ ...belief, facts }, running.expected, askedAt);
  const seen = noteRead(running, facts, askedAt);
  if (askedAt >= deadlineOf(running) || hasMissed(seen, askedAt)) return accept(abandoned(belief), observation);
  return { ...belief, at: askedAt, running: seen };
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
function observeContradiction(belief: Belief, actedAt: number, observation: Observation): Belief | undefined {
  const { facts, askedAt, forMove = false } = observation;
  if (isProof(observation)) return overrule(belief, observation);
  const early = askedAt - actedAt < SETTLE_SECONDS * SECOND_MS;
  if (early && !forMove && belief.doubt === undefined) return belief;
  const key = keyOf(facts);
  if (belief.doubt?.key !== key) return { ...belief, doubt: { key, since: askedAt } };
  if (askedAt - belief.doubt.since < SECOND_READ_SECONDS * SECOND_MS) return belief;
  return overrule(belief, observation);
}

/** Both APIs agree: the node is gone, and nobody holds the address. */
function isProof({ facts, forMove = false, holderGone = false }: Observation): boolean {
  return forMove && holderGone && facts !== undefined && facts.holder === undefined;
}

function overrule({ actedAt: _acted, ...rest }: Belief, observation: Observation): Belief | undefined {
  return accept(rest, observation);
}

function accept(belief: Belief, { facts, askedAt }: Observation): Belief | undefined {
  if (facts === undefined) return undefined;
  const { doubt: _doubt, ...rest } = belief;
  // Only the list of ranges says that an address is borrowed.
  const borrowed = belief.facts.borrowed === true ? { borrowed: true } : {};
  return { ...rest, facts: { ...borrowed, ...facts }, at: askedAt };
}

function agrees({ facts }: Belief, seen: AddressFacts | undefined): boolean {
  return seen !== undefined && seen.holder === facts.holder;
}

function keyOf(facts: AddressFacts | undefined): string {
  return facts === undefined ? "gone" : `held by ${facts.holder ?? "nobody"}`;
}
