/** A controller that begins when the caches of its own kinds have synced, whatever those of other kinds do. */

import { pause } from "../async/wait.js";
import { SYNC_POLL_MS } from "../bounds.js";
import type { Clock } from "../clock.js";
import type { Drainable, Synced } from "./manager.js";

export function afterSync(controller: Drainable, caches: readonly Synced[], clock: Clock): Drainable {
  let started = false;
  let drained = false;
  const run = async (signal: AbortSignal) => {
    if (await whenSynced(caches, { clock, signal, isOver: () => drained })) {
      started = true;
      await controller.run(signal);
    } else if (!signal.aborted) {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    }
  };
  const drain = (deadlineMs: number) => {
    drained = true;
    return started ? controller.drain(deadlineMs) : Promise.resolve(true);
  };
  return { name: controller.name, run, drain, check: () => controller.check() };
}

export interface SyncWait {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Ends the wait early. @default never */
  readonly isOver?: () => boolean;
}

/** Resolves to whether all have synced; false when the wait was over first. */
export async function whenSynced(
  caches: readonly Synced[],
  { clock, signal, isOver = () => false }: SyncWait,
): Promise<boolean> {
  const isSynced = () => caches.every((cache) => cache.hasSynced());
  while (!isOver() && !isSynced()) {
    if (!(await pause(clock, SYNC_POLL_MS, signal))) return false;
  }
  return !isOver();
}
