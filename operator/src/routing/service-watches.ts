/** The Services of the watched namespaces: one set of watches for all who read them, from the first of them on. */

import type { Cache } from "../kube/cache/cache.js";
import type { SharedWatches } from "../kube/cache/shared-watches.js";
import { scopesOf } from "../kube/objects.js";
import type { Synced } from "../runtime/manager.js";
import { cachePart } from "../runtime/synced-kinds.js";
import { type ServiceFacts, slimServices } from "./service.js";

interface Opened {
  readonly caches: readonly Cache<ServiceFacts>[];
  readonly parts: readonly Synced[];
}

export class SharedServices {
  private opened: Opened | undefined;

  /** @param namespaces empty: all. */
  constructor(
    private readonly watches: Pick<SharedWatches, "kind">,
    private readonly namespaces: readonly string[],
  ) {}

  get caches(): readonly Cache<ServiceFacts>[] {
    return this.open().caches;
  }

  /** For the manager. */
  get parts(): readonly Synced[] {
    return this.open().parts;
  }

  /** @param key `namespace/name`. */
  get(key: string): ServiceFacts | undefined {
    for (const { store } of this.caches) {
      const found = store.get(key);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  *list(): IterableIterator<ServiceFacts> {
    for (const { store } of this.caches) yield* store.list();
  }

  private open(): Opened {
    if (this.opened !== undefined) return this.opened;
    const caches = scopesOf(this.namespaces).map((scope) =>
      this.watches.kind("services", `/api/v1${scope}/services`, slimServices),
    );
    this.opened = { caches, parts: caches.map((cache) => cachePart(cache)) };
    return this.opened;
  }
}
