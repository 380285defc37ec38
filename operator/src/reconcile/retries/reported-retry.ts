/** `status.retryAt` of a resource: when the operator tries again what failed. Pure. */

import { REPORTED_WAIT_MS } from "../../bounds.js";
import { timeOf, timestamp } from "../../times.js";

/**
 * The next try that is far enough away. A time that the status has stays until the try has ended: so the status changes
 * once for each try.
 * @param waits the next tries of failed calls, ms since the epoch
 */
export function reportedRetry(
  waits: readonly (number | undefined)[],
  last: string | undefined,
  now: number,
): string | undefined {
  const known = timeOf(last);
  const worth = waits.flatMap((at) =>
    at !== undefined && (at - now >= REPORTED_WAIT_MS || Math.trunc(at) === known) ? [at] : [],
  );
  return worth.length === 0 ? undefined : timestamp(Math.min(...worth));
}
