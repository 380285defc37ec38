/** What this process remembers of the addresses that it wrote to one object. Pure. */

import type { Problem } from "../../messages/message.js";
import { CACHE_LAG_MS, PLACEMENT_LASTING_MS, REVERTS_KEPT } from "../../timings.js";

export interface Memory {
  readonly sent?: {
    readonly ips: readonly string[];
    /** Monotonic ms. */
    readonly at: number;
    /** The cache has shown it. */
    readonly confirmed: boolean;
  };
  /** When somebody else changed what the operator had written, ms since the epoch. */
  readonly undone: readonly number[];
  /** Of the last write. */
  readonly failure?: Problem;
  /** The last write lost against the owner of other addresses. */
  readonly conflict?: Conflict;
}

export interface Conflict {
  readonly problem: Problem;
  /** When, ms since the epoch. */
  readonly at: number;
  /** All addresses of the object at that time, sorted. */
  readonly all: readonly string[];
}

export const NOTHING_SENT: Memory = { undone: [] };

/** The memory after a write: the cache may lag behind it. @param at monotonic ms */
export function wrote({ conflict: _former, ...memory }: Memory, ips: readonly string[], at: number): Memory {
  return { ...memory, sent: { ips, at, confirmed: false } };
}

interface Look {
  /** As the cache has it, sorted. */
  readonly shown: readonly string[];
  /** Wall clock, ms since the epoch. */
  readonly now: number;
  readonly monotonic: number;
}

/** The memory after a look at the object. */
export function observed(memory: Memory, { shown, now, monotonic }: Look): Memory {
  const { sent, ...others } = memory;
  if (sent === undefined) return memory;
  if (sent.ips.join() === shown.join()) {
    const lasted = monotonic - sent.at >= PLACEMENT_LASTING_MS;
    return { ...memory, sent: { ...sent, confirmed: true }, ...(lasted && { undone: [] }) };
  }
  if (sent.confirmed) return { ...others, undone: [...memory.undone, now].slice(-REVERTS_KEPT) };
  return monotonic - sent.at < CACHE_LAG_MS ? memory : others;
}

/** Other addresses than those that stood in the way: the next write may succeed. @param all addresses of the object, sorted */
export function withoutOldConflict(memory: Memory, all: readonly string[]): Memory {
  const { conflict, ...others } = memory;
  return conflict !== undefined && conflict.all.join() !== all.join() ? others : memory;
}

/** ms from now until a write that the cache does not show yet counts no more; `undefined`: there is none. */
export function lagEndsInMs({ sent }: Memory, monotonic: number): number | undefined {
  return sent === undefined || sent.confirmed ? undefined : Math.max(0, sent.at + CACHE_LAG_MS - monotonic);
}

/** The addresses of the object: the cache lags behind our own write. */
export function shownNow({ sent }: Memory, shown: readonly string[]): readonly string[] {
  return sent === undefined || sent.confirmed ? shown : sent.ips;
}
