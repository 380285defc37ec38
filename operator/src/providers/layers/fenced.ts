/** No write without the lease. */

import { CLOUD_ATTEMPT_SECONDS, SECOND_MS } from "../../bounds.js";
import type { Clock } from "../../clock.js";
import type { Fence } from "../../runtime/fence.js";
import type { CallLayer } from "../call.js";
import { attemptWithin } from "./deadlines.js";
import { LeaseEnding } from "./direct.js";

/**
 * Asks the fence right before each write is sent, after all waiting, and ends the write before the lease can be lost:
 * whoever holds it next must not race with us. Reads pass. Rejects with NotLeaderError; nothing was sent then.
 */
export function withFence(fence: Fence, clock: Clock): CallLayer {
  return (next) => async (call, send) => {
    if (!call.write) return next(call, send);
    fence.assertHeld();
    const seconds = fence.remainingMs() / SECOND_MS;
    // Longer than any attempt: the attempt's own deadline comes first.
    const write =
      seconds > CLOUD_ATTEMPT_SECONDS
        ? next(call, send)
        : attemptWithin({ clock, seconds, reason: () => new LeaseEnding(), next }, call, send);
    return fence.track?.(write, call.context.signal) ?? write;
  };
}
