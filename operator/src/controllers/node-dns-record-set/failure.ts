/** The failure of the DNS provider, and when the operator tries again. Pure. */

import type { Problem } from "../../reconcile/conditions/problem.js";
import { reportedRetry } from "../../reconcile/retries/reported-retry.js";
import { isPaused } from "./deletion.js";
import type { Snapshot } from "./snapshot.js";

/** A paused set makes no call: none would show that an old failure is over. */
export function failureOf({ dns, resource }: Snapshot): Problem | undefined {
  return isPaused(resource) ? undefined : dns.failure;
}

export function retryOf(snapshot: Snapshot): string | undefined {
  const { dns, now, resource } = snapshot;
  const retryAt = failureOf(snapshot) === undefined ? undefined : dns.retryAt;
  return reportedRetry([retryAt], resource.status.retryAt, now);
}
