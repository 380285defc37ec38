/** A lost answer: whether the latest action of the address is the one that the call began. Pure. */

import { SECOND_MS } from "../bounds.js";
import type { LatestAction } from "../providers/types.js";
import { abandoned, type CachedState, type InFlight } from "./cached-state.js";

/** Both clocks at one moment. */
export interface Moment {
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
