/** The cache of one of our namespaced kinds: one watch, or one for each namespace that is served. */

import { API_GROUP, API_VERSION } from "cdk8s-flipop/api";
import type { ToldCache } from "../../kube/cache/cache.js";
import type { SharedWatches } from "../../kube/cache/shared-watches.js";
import { type WholeObject, wholeObjects } from "../../kube/cache/slim.js";
import type { StoreListener } from "../../kube/cache/store.js";
import type { KubeObject } from "../../kube/objects.js";
import { cachePart } from "../../runtime/cache-part.js";
import type { Synced } from "../../runtime/manager.js";

const GROUP_PATH = `/apis/${API_GROUP}/${API_VERSION}`;

/** Path of one object; add `/status` for its status. */
export function resourcePath(plural: string, { namespace = "", name }: KubeObject["metadata"]): string {
  return `${GROUP_PATH}/namespaces/${namespace}/${plural}/${name}`;
}

/** Path of one object by its key. */
export function resourcePathOf(plural: string): (key: string) => string {
  return (key) => {
    const [namespace = "", name = ""] = key.split("/");
    return `${GROUP_PATH}/namespaces/${namespace}/${plural}/${name}`;
  };
}

export class OwnResources<O extends KubeObject> {
  /** For the manager. */
  readonly parts: readonly Synced[];
  private readonly caches: readonly ToldCache<WholeObject<O>>[];

  /**
   * The watches start at once.
   * @param namespaces empty: all.
   */
  constructor(watches: Pick<SharedWatches, "kind">, plural: string, namespaces: readonly string[]) {
    const scopes = namespaces.length === 0 ? [""] : namespaces.map((namespace) => `/namespaces/${namespace}`);
    this.caches = scopes.map((scope) =>
      watches.kind<WholeObject<O>>(plural, `${GROUP_PATH}${scope}/${plural}`, wholeObjects<O>()),
    );
    this.parts = this.caches.map((cache) => cachePart(cache));
  }

  /** @param key `namespace/name`. */
  get(key: string): O | undefined {
    for (const { store } of this.caches) {
      const found = store.get(key);
      if (found !== undefined) return found.object;
    }
    return undefined;
  }

  /** `undefined`: not all of them are seen. */
  has(uid: string): boolean | undefined {
    if (!this.parts.every((part) => part.hasSynced())) return undefined;
    return this.caches.some(({ store }) => store.getByUid(uid) !== undefined);
  }

  *list(): IterableIterator<O> {
    for (const { store } of this.caches) for (const { object } of store.list()) yield object;
  }

  /** The answer to a write. Without the right to watch, only the answer shows that the write deleted the object. */
  wrote({ metadata }: O): void {
    const { deletionTimestamp, finalizers = [], uid, name, namespace = "" } = metadata;
    if (deletionTimestamp === undefined || finalizers.length > 0) return;
    for (const cache of this.caches) if (!cache.state.connected) cache.forget({ uid, name, namespace });
  }

  /** Also called for the objects that exist when it syncs. @returns the function that ends it. */
  listen(listener: StoreListener<WholeObject<O>>): () => void {
    const ends = this.caches.map(({ store }) => store.listen(listener));
    return () => {
      for (const end of ends) end();
    };
  }
}
