/** Record sets whose names have something of others that a condition warns of: the operator reads them sooner, until that ends. */

import type { Clock } from "../clock.js";
import { RECORD_READS_APART_MS, REMARKED_RECORDS_KEPT_MS, REMARKED_RECORDS_MAX_AGE_MS } from "../timings.js";
import type { NameRemarks } from "./name-remarks.js";

export class RemarkedSets {
  /** Each with the time when a resource last asked for it, monotonic ms; the one asked for longest ago first. */
  private readonly askedAt = new Map<object, number>();

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  /** How long a reading of the set may be used, in ms: longer with more such sets, so that their calls have a bound. */
  goodForMs(set: object, { proxied, others, delegation }: NameRemarks): number {
    const now = this.clock.monotonic();
    this.askedAt.delete(set);
    if (!proxied && others.length === 0 && delegation === undefined) return Number.POSITIVE_INFINITY;
    this.askedAt.set(set, now);
    this.forget(now - REMARKED_RECORDS_KEPT_MS);
    return Math.max(REMARKED_RECORDS_MAX_AGE_MS, this.askedAt.size * RECORD_READS_APART_MS);
  }

  /** Sets whose resources are gone. */
  private forget(before: number): void {
    for (const [set, at] of this.askedAt) {
      if (at >= before) return;
      this.askedAt.delete(set);
    }
  }
}
