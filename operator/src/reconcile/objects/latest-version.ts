/**
 * The latest version of one object that this process knows: as the cache has it, or as the answer to our own last write
 * has it, until the cache catches up. A plan on the version before our write would repeat the write.
 * The answer counts for a limited time: a restored server begins again with lower versions, and the cache never reaches ours.
 */

import { OWN_WRITE_MS } from "../../bounds.js";
import { type Clock, systemClock } from "../../clock.js";
import type { KubeObject } from "../../kube/objects.js";

interface OwnVersion<O extends KubeObject> {
  readonly object: O;
  /** Monotonic ms. */
  readonly until: number;
}

export class LatestVersion<O extends KubeObject> {
  private own: OwnVersion<O> | undefined;
  private readonly superseded = new Set<string>();

  /** @param clock @default systemClock */
  constructor(private readonly clock: Pick<Clock, "monotonic"> = systemClock) {}

  /** @param cached as the cache has it now; `undefined`: it is gone. */
  of(cached: O | undefined): O | undefined {
    const { own } = this;
    if (own === undefined || cached === undefined) return cached;
    const stale = own.object.metadata.uid === cached.metadata.uid && this.isOlder(cached, own.object);
    if (stale && this.clock.monotonic() < own.until) return own.object;
    this.own = undefined;
    this.superseded.clear();
    return cached;
  }

  /** ms after which the cached version counts again, though it is older than our own; `undefined`: it counts now. */
  untilCachedMs(cached: O | undefined): number | undefined {
    if (cached === undefined || this.of(cached) === cached || this.own === undefined) return undefined;
    return this.own.until - this.clock.monotonic();
  }

  /** The server answered a write to (or a read of) the object with `after`. */
  wrote(before: O, after: O): void {
    this.superseded.add(before.metadata.resourceVersion);
    this.own = { object: after, until: this.clock.monotonic() + OWN_WRITE_MS };
  }

  /** Versions of one kind are numbers that grow; where a server has others, those that our writes replaced are older. */
  private isOlder({ metadata: cached }: O, { metadata: own }: O): boolean {
    const [a, b] = [cached.resourceVersion, own.resourceVersion];
    if (DECIMAL.test(a) && DECIMAL.test(b)) return BigInt(a) < BigInt(b);
    return this.superseded.has(a);
  }
}

const DECIMAL = /^\d+$/;
