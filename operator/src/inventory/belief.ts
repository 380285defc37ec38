/**
 * What is believed of one address, and how a read changes it. Pure. Reads of a cloud may be late: a list that began
 * before our write shows the past, and replicas lag. So a read that contradicts what we did ourselves counts only
 * when it is neither early nor alone.
 */

import { SECOND_MS, SECOND_READ_SECONDS, SETTLE_SECONDS } from "../bounds.js";
import type { AddressFacts, ProviderId } from "../providers/types.js";

/** All times are monotonic ms. */
export interface Belief {
  readonly facts: AddressFacts;
  /** When `facts` was true: read, or told by a completed action. */
  readonly at: number;
  /** When our last write to it was sent; reads asked for before it are of the past. */
  readonly writtenAt?: number;
  /** When our last action on it was completed. */
  readonly actedAt?: number;
  /** An action of ours that runs. */
  readonly running?: { readonly id: string; readonly expected: ProviderId | undefined };
  /** What reads say that contradict us, since when. */
  readonly doubt?: { readonly key: string; readonly since: number };
}

/** What a read said, and when it was asked for. `undefined` facts: the address does not exist. */
export interface Observation {
  readonly facts: AddressFacts | undefined;
  readonly askedAt: number;
}

/** The belief after a read. `undefined`: the address is gone. */
export function observe(belief: Belief | undefined, observation: Observation): Belief | undefined {
  const { facts, askedAt } = observation;
  if (belief === undefined) return facts === undefined ? undefined : { facts, at: askedAt };
  if (belief.writtenAt !== undefined && askedAt < belief.writtenAt) return belief;
  if (belief.running !== undefined) return observeRunning(belief, belief.running, observation);
  if (belief.actedAt === undefined || agrees(belief, facts)) return accept(belief, observation);
  return observeContradiction(belief, belief.actedAt, observation);
}

/** Our action on it has begun. */
export function started(belief: Belief, action: NonNullable<Belief["running"]>, now: number): Belief {
  const { doubt: _doubt, ...rest } = belief;
  const shown = action.id === "" ? {} : { id: action.id };
  return { ...rest, facts: { ...belief.facts, action: shown }, writtenAt: now, running: action };
}

/** Our action on it is completed: `holder` has it now. */
export function completed(belief: Belief, holder: ProviderId | undefined, now: number): Belief {
  const { running: _running, doubt: _doubt, ...rest } = belief;
  const { holder: _holder, action: _action, ...facts } = belief.facts;
  const held = holder === undefined ? facts : { ...facts, holder };
  return { ...rest, facts: held, at: now, writtenAt: now, actedAt: now };
}

/** Our action on it has failed, or nobody knows it any more: the next read counts at once. */
export function abandoned(belief: Belief): Belief {
  const { running: _running, actedAt: _acted, doubt: _doubt, ...rest } = belief;
  const { action: _action, ...facts } = belief.facts;
  return { ...rest, facts };
}

/** While our action runs, a read shows either its beginning or its end; only the end is news. */
function observeRunning(
  belief: Belief,
  running: NonNullable<Belief["running"]>,
  { facts, askedAt }: Observation,
): Belief | undefined {
  if (facts === undefined) return undefined;
  const over = facts.holder === running.expected && facts.action === undefined;
  if (over && facts.holder !== belief.facts.holder) return completed({ ...belief, facts }, running.expected, askedAt);
  return { ...belief, at: askedAt };
}

/** Too early: nothing. The first: a doubt. The second, some time later: it counts. */
function observeContradiction(belief: Belief, actedAt: number, observation: Observation): Belief | undefined {
  const { facts, askedAt } = observation;
  if (askedAt - actedAt < SETTLE_SECONDS * SECOND_MS) return belief;
  const key = keyOf(facts);
  if (belief.doubt?.key !== key) return { ...belief, doubt: { key, since: askedAt } };
  if (askedAt - belief.doubt.since < SECOND_READ_SECONDS * SECOND_MS) return belief;
  const { actedAt: _acted, ...rest } = belief;
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
