/** Whether somebody else keeps undoing what we write: two installs, or a person, at the same thing. */

import { CONTESTED_PAUSE_MS, CONTESTED_WINDOW_MS, REVERTS_COUNT_MS } from "../bounds.js";

/** So many within the window, and we step back. */
const REVERTS = 3;

/** @param reverts when our writes were undone, ms since the epoch. @returns until when to keep still. */
export function contestedUntil(reverts: readonly number[] | undefined, now: number): number | undefined {
  if (!isContested(reverts)) return undefined;
  const until = Math.max(...(reverts ?? [])) + CONTESTED_PAUSE_MS;
  return until > now ? until : undefined;
}

/** Three in ten minutes, and no quiet since: it stays so until our write has lasted for the window. */
export function isContested(reverts: readonly number[] = []): boolean {
  const times = [...reverts].sort((a, b) => a - b);
  return times.some((time, index) => {
    const first = times[index - REVERTS + 1];
    return first !== undefined && time - first <= CONTESTED_WINDOW_MS;
  });
}

/** A dispute ends when the last revert is long past, also where the operator has not written since. */
export function withoutOld(reverts: readonly number[] = [], now: number): readonly number[] {
  return reverts.some((at) => now - at < REVERTS_COUNT_MS) ? reverts : [];
}
