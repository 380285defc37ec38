/**
 * Kinds that the cluster does not have, or does not let us see: older CRDs, narrower roles. One such kind must not keep
 * the others from being served; it is served as soon as it is there.
 */

import { FORBIDDEN_GRACE_MS } from "../bounds.js";
import type { Clock } from "../clock.js";
import type { Check } from "./health.js";
import type { Synced } from "./manager.js";

const NOT_FOUND = 404;
const FORBIDDEN = 403;

export class AbsentKinds {
  private readonly startedAt: number;
  private readonly parts: readonly Synced[];

  constructor(
    parts: readonly Synced[],
    private readonly clock: Pick<Clock, "monotonic">,
  ) {
    this.startedAt = clock.monotonic();
    this.parts = parts;
  }

  /** The same caches; an absent one counts as synced, for there is nothing to see. */
  tolerated(): readonly Synced[] {
    return this.parts.map((part) => this.tolerant(part));
  }

  /** The same of some of them. */
  tolerant(part: Synced): Synced {
    return {
      name: part.name,
      ofOneKind: true,
      run: (signal) => part.run(signal),
      hasSynced: () => part.hasSynced() || this.isAbsent(part),
      ...(part.degradedReason && { degradedReason: () => part.degradedReason?.() }),
    };
  }

  /** Readiness: which kinds are not served, and why. */
  readonly check: Check = () => {
    const absent = this.parts.filter((part) => !part.hasSynced() && this.isAbsent(part));
    if (absent.length === 0) return undefined;
    const why = absent.map((part) => part.degradedReason?.() ?? part.name).join("; ");
    return `not served: ${why}: apply the CRDs and roles of this release, or leave the feature out`;
  };

  private isAbsent(part: Synced): boolean {
    const code = part.refusal?.();
    if (code === NOT_FOUND) return true;
    return code === FORBIDDEN && this.clock.monotonic() - this.startedAt >= FORBIDDEN_GRACE_MS;
  }
}
