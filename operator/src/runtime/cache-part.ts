/** A cache that started by itself, as a part of the process. */

import type { Synced } from "./manager.js";

/** The part of `kube/cache/cache.ts` that is needed. */
export interface StartedCache {
  readonly state: {
    readonly name: string;
    readonly synced: boolean;
    readonly lastError: string | undefined;
    readonly lastCode?: number | undefined;
  };
  stop(): Promise<void>;
}

/** Stops the cache when the process ends. */
export function cachePart(cache: StartedCache): Synced {
  return {
    name: cache.state.name,
    hasSynced: () => cache.state.synced,
    degradedReason: () => cache.state.lastError,
    refusal: () => cache.state.lastCode,
    run: async (signal) => {
      if (!signal.aborted) {
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      }
      await cache.stop();
    },
  };
}
