/**
 * Caches that no longer follow the API server: a right was taken away, or no watch can be renewed. The process cannot repair
 * that, and another replica has the same rights, so the leader keeps its lease. It must not look healthy, though.
 */

import { pause } from "../async.js";
import { type Clock, timeText } from "../clock.js";
import type { CacheState } from "../kube/cache/cache.js";
import type { Logger } from "../logging.js";
import { SECOND_MS, STALE_POLL_MS } from "../timings.js";
import type { Check } from "./http-server.js";
import type { Runnable } from "./manager.js";

interface Found {
  /** Plural name of its kind, as roles have it. */
  readonly resource: string;
  /** ms since the epoch: when it was last known to equal the server. */
  readonly since: number;
  readonly ms: number;
  /** The API server refuses it: a right is missing. */
  readonly forbidden: boolean;
  readonly error: string | undefined;
}

interface Tools {
  readonly clock: Clock;
  readonly logger: Logger;
}

const FORBIDDEN = 403;

export class StaleCaches implements Runnable {
  readonly name = "stale caches";
  private stale: readonly Found[] = [];

  /** @param states of each cache. */
  constructor(
    private readonly states: () => readonly CacheState[],
    private readonly tools: Tools,
  ) {}

  /** Readiness: which kinds are stale, since when, and why. */
  readonly check: Check = () => {
    const texts = staleOf(this.states()).map(
      ({ resource, since, forbidden, error = "no list succeeds, and no watch lasts" }) =>
        `${resource} since ${timeText(since)} (${error}${forbidden ? `; grant list and watch of ${resource}` : ""})`,
    );
    return texts.length === 0 ? undefined : `stale: ${texts.join(", ")}`;
  };

  /** By kind, for the gauge. */
  seconds(): ReadonlyMap<string, number> {
    const states = this.states();
    const fresh = states.filter(({ synced }) => synced).map((state) => [resourceOf(state), 0] as const);
    return new Map([...fresh, ...staleOf(states).map(({ resource, ms }) => [resource, ms / SECOND_MS] as const)]);
  }

  async run(signal: AbortSignal): Promise<void> {
    while (await pause(this.tools.clock, STALE_POLL_MS, signal)) this.look();
  }

  private look(): void {
    const before = this.stale;
    this.stale = staleOf(this.states());
    if (textOf(before) === textOf(this.stale)) return;
    this.log();
  }

  private log(): void {
    const { logger } = this.tools;
    if (this.stale.length === 0) logger.info({}, "All caches are fresh again");
    const caches = this.stale.map(({ resource, since, error }) => ({ resource, since: timeText(since), error }));
    if (caches.length > 0) logger.error({ caches }, "Caches are stale: the operator decides on old data");
  }
}

function textOf(stale: readonly Found[]): string {
  return JSON.stringify(stale.map(({ resource, since, forbidden }) => [resource, since, forbidden]));
}

/** The one of each kind that is stale for the longest. */
function staleOf(states: readonly CacheState[]): readonly Found[] {
  const all = states.flatMap((state) => {
    const { stale, lastCode, lastError } = state;
    if (stale === undefined) return [];
    return [{ resource: resourceOf(state), ...stale, forbidden: lastCode === FORBIDDEN, error: lastError }];
  });
  all.sort((a, b) => a.since - b.since);
  return all.filter(({ resource }, index) => all.findIndex((other) => other.resource === resource) === index);
}

/** A part of a shared watch has a longer name. */
function resourceOf({ name }: CacheState): string {
  return name.split(" ")[0] ?? name;
}
