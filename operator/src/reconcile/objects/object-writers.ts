/** Own-write tracking of one kind: one writer for each object, and the latest version that this process knows of it. */

import { type Clock, systemClock } from "../../clock.js";
import type { KubeClient } from "../../kube/client.js";
import type { KubeObject } from "../../kube/objects.js";
import { LatestVersion } from "./latest-version.js";
import { ObjectWriter } from "./object-writer.js";

interface Entry<O extends KubeObject> {
  readonly latest: LatestVersion<O>;
  readonly writer: ObjectWriter<O>;
}

export class ObjectWriters<O extends KubeObject> {
  private readonly entries = new Map<string, Entry<O>>();
  private readonly listeners = new Set<(key: string, object: O) => void>();

  /**
   * @param pathOf of an object by its key.
   * @param clock @default systemClock
   */
  constructor(
    private readonly client: KubeClient,
    private readonly cached: (key: string) => O | undefined,
    private readonly pathOf: (key: string) => string,
    private readonly clock: Pick<Clock, "monotonic"> = systemClock,
  ) {}

  /** The latest version that is known; `undefined`: it is gone. */
  get(key: string): O | undefined {
    const cached = this.cached(key);
    if (cached === undefined) this.entries.delete(key);
    return this.entries.get(key)?.latest.of(cached) ?? cached;
  }

  /** ms after which the cached object counts again, though it is older than our last write; `undefined`: it counts now. */
  untilCachedMs(key: string): number | undefined {
    return this.entries.get(key)?.latest.untilCachedMs(this.cached(key));
  }

  of(key: string): ObjectWriter<O> {
    const known = this.entries.get(key);
    if (known !== undefined) return known.writer;
    const latest = new LatestVersion<O>(this.clock);
    const { client, pathOf, cached, clock } = this;
    const writer = new ObjectWriter<O>({
      client,
      path: pathOf(key),
      latestVersion: latest,
      clock,
      cached: () => cached(key),
      onWrite: (object) => {
        for (const listener of [...this.listeners]) listener(key, object);
      },
    });
    this.entries.set(key, { latest, writer });
    return writer;
  }

  /** Gets the answer to each write. @returns the function that ends it. */
  onWrite(listener: (key: string, object: O) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }
}
