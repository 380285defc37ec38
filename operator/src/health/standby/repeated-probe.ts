/** A probe that a few lost packets do not fail: several attempts, of which one success is enough. */

import { pause } from "../../async.js";
import type { Clock } from "../../clock.js";
import { PROBE_STALL_MS, STANDBY_ATTEMPTS } from "../../timings.js";
import type { Probe } from "../probe.js";
import type { ProbeResult } from "../probe-state.js";
import { noAnswer } from "../prober.js";
import type { ProbeTarget } from "../target.js";

/** Of the timeout of a probe: the answer arrives before the next probe of the leader times out. */
const TIMEOUT_SHARE = 0.8;
/** The attempts begin within this share of their time, so that the last one has time for an answer. */
const BEGIN_SHARE = 0.8;

/** @returns `undefined`: this process was too slow to tell. */
export async function probeRepeatedly(
  target: ProbeTarget,
  { clock, probe }: { readonly clock: Clock; readonly probe: Probe },
): Promise<ProbeResult | undefined> {
  const timeoutMs = target.timeoutMs * TIMEOUT_SHARE;
  const gapMs = (timeoutMs * BEGIN_SHARE) / STANDBY_ATTEMPTS;
  const controller = new AbortController();
  const began = clock.monotonic();
  const timer = clock.setTimer(timeoutMs, () => controller.abort(noAnswer({ timeoutMs })));
  const attempts = Array.from({ length: STANDBY_ATTEMPTS }, async (_, number) => {
    if (!(await pause(clock, number * gapMs, controller.signal))) throw controller.signal.reason;
    const result = await probe(target, controller.signal);
    if (!result.ok) throw new Error(result.error);
  });
  try {
    await Promise.any(attempts);
    return { ok: true };
  } catch (error) {
    const [first] = (error as AggregateError).errors as readonly Error[];
    return clock.monotonic() - began > timeoutMs + PROBE_STALL_MS
      ? undefined
      : { ok: false, error: first?.message ?? "no answer" };
  } finally {
    timer.cancel();
    controller.abort(new Error("the probe has ended"));
  }
}
