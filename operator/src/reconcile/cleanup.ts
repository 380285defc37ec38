/** How long the clean-up of a deleted resource is tried: a finalizer must not hang for ever. */

import { CLEANUP_ATTEMPTS, CLEANUP_DEADLINE_MS, CLEANUP_TRYING_MS } from "../bounds.js";
import type { ObjectMeta } from "../kube/objects.js";
import { timeOf } from "../times.js";

/** What this process remembers of the clean-up. */
export interface CleanupMemory {
  readonly attempts: number;
  /** Of the first attempt, ms since the epoch. */
  readonly since?: number;
}

/** With an attempt that begins now. */
export function nextAttempt({ attempts, since }: CleanupMemory, now: number): CleanupMemory {
  return { attempts: attempts + 1, since: since ?? now };
}

/** Whether the deadline has passed. */
export function isCleanupOverdue(
  { deletionTimestamp }: Pick<ObjectMeta, "deletionTimestamp">,
  now: number,
  { attempts, since }: CleanupMemory,
): boolean {
  const deletedAt = timeOf(deletionTimestamp) ?? now;
  const trying = since === undefined ? 0 : now - since;
  return now - deletedAt >= CLEANUP_DEADLINE_MS && attempts >= CLEANUP_ATTEMPTS && trying >= CLEANUP_TRYING_MS;
}
