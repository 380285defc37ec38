/** What starts when: caches as parts of the process, and what waits until the kinds that it needs have been read. */

import { pause, untilAbort } from "../async.js";
import type { Clock } from "../clock.js";
import type { Logger } from "../logging.js";
import { ABSENT_KINDS_POLL_MS, CLAIMS_WAIT_MS, FORBIDDEN_GRACE_MS, SYNC_POLL_MS } from "../timings.js";
import type { Check } from "./http-server.js";
import type { Drainable, Runnable, Synced } from "./manager.js";

/** The part of `kube/cache/cache.ts` that is needed. */
interface StartedCache {
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
      await untilAbort(signal);
      await cache.stop();
    },
  };
}

/** A controller that begins when the caches of its own kinds have synced, whatever those of other kinds do. */
export function afterSync(controller: Drainable, caches: readonly Synced[], clock: Clock): Drainable {
  let started = false;
  let drained = false;
  const run = async (signal: AbortSignal) => {
    if (await whenSynced(caches, { clock, signal, isOver: () => drained })) {
      started = true;
      await controller.run(signal);
    } else await untilAbort(signal);
  };
  const drain = (deadlineMs: number) => {
    drained = true;
    return started ? controller.drain(deadlineMs) : Promise.resolve(true);
  };
  return { name: controller.name, run, drain, check: () => controller.check() };
}

interface SyncWait {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Ends the wait early. @default never */
  readonly isOver?: () => boolean;
}

/** Resolves to whether all have synced; false when the wait was over first. */
async function whenSynced(
  caches: readonly Synced[],
  { clock, signal, isOver = () => false }: SyncWait,
): Promise<boolean> {
  const isSynced = () => caches.every((cache) => cache.hasSynced());
  while (!isOver() && !isSynced()) {
    if (!(await pause(clock, SYNC_POLL_MS, signal))) return false;
  }
  return !isOver();
}

/** Waits for unread kinds, with `expectMore`, until `allKnown`. */
interface Waiting {
  expectMore(): void;
  allKnown(): void;
}

interface WaitingParts {
  readonly claims: Waiting & { allRead(): void };
  readonly creations: Waiting;
  readonly publications?: Waiting;
}

/**
 * An unread resource may have a better claim, or a creation whose answer was lost. Claims wait for a bounded time; creations
 * and publications while a kind cannot be read; releases, which cannot be undone, also for kinds that are forbidden.
 */
export function knownKinds(
  { kinds, withAddresses }: { readonly kinds: readonly Synced[]; readonly withAddresses: readonly Synced[] },
  clock: Clock,
  { claims, creations, publications }: WaitingParts,
): Runnable {
  claims.expectMore();
  creations.expectMore();
  publications?.expectMore();
  const end = clock.monotonic() + CLAIMS_WAIT_MS;
  const run = async (signal: AbortSignal) => {
    await whenSynced(kinds, { clock, signal, isOver: () => clock.monotonic() >= end });
    claims.allKnown();
    const read = whenSynced(withAddresses.map(orMissing), { clock, signal }).then((all) => all && claims.allRead());
    if (await whenSynced(kinds, { clock, signal })) {
      creations.allKnown();
      publications?.allKnown();
    }
    await read;
    await untilAbort(signal);
  };
  return { name: "kinds", run };
}

const NOT_FOUND = 404;
const FORBIDDEN = 403;

/** A kind that the cluster lacks has no resources. One that the operator may not read may have some. */
function orMissing(part: Synced): Synced {
  return { ...part, hasSynced: () => part.hasSynced() || part.refusal?.() === NOT_FOUND };
}

/**
 * Kinds that the cluster does not have, or that the operator may not read: older CRDs, narrower roles. One such kind must
 * not keep the others from being served; it is served as soon as it is there.
 */
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

  /** Logs once for each set of kinds that the cluster lacks: a readiness probe is not where people look first. */
  logged(clock: Clock, logger: Logger): Runnable {
    const run = async (signal: AbortSignal) => {
      let last = "";
      do {
        const missing = this.parts.filter((part) => !part.hasSynced() && part.refusal?.() === NOT_FOUND);
        const names = missing.map(({ name }) => name);
        if (names.length > 0 && names.join() !== last) {
          logger.error(
            { kinds: names },
            "The cluster lacks kinds that the operator serves: apply the CRDs of this release",
          );
        }
        last = names.join();
      } while (await pause(clock, ABSENT_KINDS_POLL_MS, signal));
    };
    return { name: "absent kinds", run };
  }

  private isAbsent(part: Synced): boolean {
    const code = part.refusal?.();
    if (code === NOT_FOUND) return true;
    return code === FORBIDDEN && this.clock.monotonic() - this.startedAt >= FORBIDDEN_GRACE_MS;
  }
}
