import type { Cached } from "../objects.js";
import type { Cache } from "./cache.js";

interface Holding<T extends Cached, I extends string> {
  readonly cache: Cache<T, I>;
  holders: number;
}

/** Somebody's share of a cache. Release it once; more often does no harm. */
export interface Share<T extends Cached, I extends string = never> {
  readonly cache: Cache<T, I>;
  release(): Promise<void>;
}

/** Counts who holds which cache: made by the first holder, stopped by the last. */
export class SharedCaches<T extends Cached, I extends string = never> {
  private readonly observed = new Map<string, Holding<T, I>>();

  get size(): number {
    return this.observed.size;
  }

  has(key: string): boolean {
    return this.observed.has(key);
  }

  caches(): Cache<T, I>[] {
    return [...this.observed.values()].map((holding) => holding.cache);
  }

  hold(key: string, make: () => Cache<T, I>): Share<T, I> {
    const holding = this.observed.get(key) ?? { cache: make(), holders: 0 };
    holding.holders++;
    this.observed.set(key, holding);
    let released: Promise<void> | undefined;
    const release = () => {
      released ??= this.drop(key, holding);
      return released;
    };
    return { cache: holding.cache, release };
  }

  async stopAll(): Promise<void> {
    const all = this.caches();
    this.observed.clear();
    await Promise.all(all.map((cache) => cache.stop()));
  }

  private async drop(key: string, holding: Holding<T, I>): Promise<void> {
    holding.holders--;
    if (holding.holders > 0) return;
    if (this.observed.get(key) === holding) this.observed.delete(key);
    await holding.cache.stop();
  }
}
