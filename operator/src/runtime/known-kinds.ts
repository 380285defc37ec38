/**
 * Until the resources of all kinds have been read, an unread one may have a better claim to an address, or a creation
 * whose answer was lost. So resources leave what they only ask for alone, and none of them creates an address.
 */

import { CLAIMS_WAIT_MS } from "../bounds.js";
import type { Clock } from "../clock.js";
import { whenSynced } from "./after-sync.js";
import type { Runnable, Synced } from "./manager.js";

/** Waits for unread kinds, with `expectMore`, until `allKnown`. */
interface Waiting {
  expectMore(): void;
  allKnown(): void;
}

/** Claims wait for a bounded time; creations, which cost money, as long as a kind cannot be read. */
export function knownKinds(
  kinds: readonly Synced[],
  clock: Clock,
  { claims, creations }: { readonly claims: Waiting; readonly creations: Waiting },
): Runnable {
  claims.expectMore();
  creations.expectMore();
  const end = clock.monotonic() + CLAIMS_WAIT_MS;
  const run = async (signal: AbortSignal) => {
    await whenSynced(kinds, { clock, signal, isOver: () => clock.monotonic() >= end });
    claims.allKnown();
    if (await whenSynced(kinds, { clock, signal })) creations.allKnown();
    if (signal.aborted) return;
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  };
  return { name: "kinds", run };
}
