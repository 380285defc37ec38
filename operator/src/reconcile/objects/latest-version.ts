/**
 * The newest version of one object that this process knows: as the cache has it, or as the answer to our own last write
 * has it, until the cache catches up. A plan made on what was there before our write would do it twice.
 */

import type { KubeObject } from "../../kube/objects.js";

export class LatestVersion<O extends KubeObject> {
  private own: O | undefined;
  private readonly superseded = new Set<string>();

  /** @param cached as the cache has it now; `undefined`: it is gone. */
  of(cached: O | undefined): O | undefined {
    const { own } = this;
    if (own === undefined || cached === undefined) return cached;
    const stale = own.metadata.uid === cached.metadata.uid && this.isOlder(cached, own);
    if (stale) return own;
    this.own = undefined;
    this.superseded.clear();
    return cached;
  }

  /** The server answered a write to (or a read of) the object with `after`. */
  wrote(before: O, after: O): void {
    this.superseded.add(before.metadata.resourceVersion);
    this.own = after;
  }

  /** Versions of one kind are numbers that grow; where a server has others, those that our writes replaced are older. */
  private isOlder({ metadata: cached }: O, { metadata: own }: O): boolean {
    const [a, b] = [cached.resourceVersion, own.resourceVersion];
    if (DECIMAL.test(a) && DECIMAL.test(b)) return BigInt(a) < BigInt(b);
    return this.superseded.has(a);
  }
}

const DECIMAL = /^\d+$/;
