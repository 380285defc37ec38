/**
 * Where the engine finds the objects of a kind: a cache of the API server, with one watch or one for each namespace that is
 * served, and the writers of its objects.
 */

import { API_GROUP, API_VERSION } from "cdk8s-flipop/api";
import type { Clock } from "../clock.js";
import type { Cache, ToldCache } from "../kube/cache/cache.js";
import type { SharedWatches } from "../kube/cache/shared-watches.js";
import { type WholeObject, wholeObjects } from "../kube/cache/slim-objects.js";
import type { StoreListener } from "../kube/cache/store.js";
import type { KubeClient } from "../kube/client.js";
import { type KubeObject, keyOf, scopesOf } from "../kube/objects.js";
import type { Synced } from "../runtime/manager.js";
import { cachePart } from "../runtime/synced-kinds.js";
import { ObjectWriters } from "./object-writer.js";

export interface SourceEvent<O extends KubeObject> {
  readonly key: string;
  readonly object: O;
  readonly deleted: boolean;
}

export interface ResourceSource<O extends KubeObject> {
  readonly writers: ObjectWriters<O>;
  keys(): Iterable<string>;
  /** As the cache has it. */
  cached(key: string): O | undefined;
  /** Also called for everything that is there when the cache syncs. @returns the function that ends it. */
  listen(listener: (event: SourceEvent<O>) => void): () => void;
  /** Called when the cache has been read anew. @returns the function that ends it. @default never */
  onRelist?(listener: () => void): () => void;
}

/** Of a namespaced kind. */
export function namespacedSource<O extends KubeObject>(
  resources: OwnResources<O>,
  writers: ObjectWriters<O>,
): ResourceSource<O> {
  return {
    writers,
    *keys() {
      for (const object of resources.list()) yield objectKey(object);
    },
    cached: (key) => resources.get(key),
    listen: (listener) => {
      return endAll([
        resources.listen(({ type, object: { object } }) =>
          listener({ key: objectKey(object), object, deleted: type === "deleted" }),
        ),
        writers.onWrite((_key, object) => resources.wrote(object)),
      ]);
    },
    onRelist: (listener) => resources.onRelist(listener),
  };
}

/** Of a cluster-scoped kind. */
export function clusterSource<O extends KubeObject>(
  cache: Cache<WholeObject<O>>,
  writers: ObjectWriters<O>,
): ResourceSource<O> {
  return {
    writers,
    *keys() {
      for (const { name } of cache.store.list()) yield name;
    },
    cached: (key) => cache.store.get(key)?.object,
    listen: (listener) =>
      cache.store.listen(({ type, object: { name, object } }) =>
        listener({ key: name, object, deleted: type === "deleted" }),
      ),
    onRelist: (listener) => cache.store.onReplace(listener),
  };
}

function endAll(ends: readonly (() => void)[]): () => void {
  return () => {
    for (const end of ends) end();
  };
}

function objectKey({ metadata: { namespace, name } }: KubeObject): string {
  return keyOf({ namespace, name });
}

export const GROUP_PATH = `/apis/${API_GROUP}/${API_VERSION}`;

export class OwnResources<O extends KubeObject> {
  /** For the manager. */
  readonly parts: readonly Synced[];
  private readonly caches: readonly ToldCache<WholeObject<O>>[];

  /**
   * The watches start at once.
   * @param namespaces empty: all.
   */
  constructor(
    watches: Pick<SharedWatches, "kind">,
    private readonly plural: string,
    namespaces: readonly string[],
  ) {
    this.caches = scopesOf(namespaces).map((scope) =>
      watches.kind<WholeObject<O>>(plural, `${GROUP_PATH}${scope}/${plural}`, wholeObjects<O>()),
    );
    this.parts = this.caches.map((cache) => cachePart(cache));
  }

  writers({ client, clock }: { readonly client: KubeClient; readonly clock: Clock }): ObjectWriters<O> {
    const pathOf = (key: string) => {
      const [namespace = "", name = ""] = key.split("/");
      return `${GROUP_PATH}/namespaces/${namespace}/${this.plural}/${name}`;
    };
    return new ObjectWriters(client, (key) => this.get(key), pathOf, clock);
  }

  /** @param key `namespace/name`. */
  get(key: string): O | undefined {
    for (const { store } of this.caches) {
      const found = store.get(key);
      if (found !== undefined) return found.object;
    }
    return undefined;
  }

  /** All of them have been read. */
  get complete(): boolean {
    return this.parts.every((part) => part.hasSynced());
  }

  /** `undefined`: not all of them are seen. */
  has(uid: string): boolean | undefined {
    if (!this.complete) return undefined;
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
    return endAll(this.caches.map(({ store }) => store.listen(listener)));
  }

  /** Called for each complete set that is read. @returns the function that ends it. */
  onRelist(listener: () => void): () => void {
    return endAll(this.caches.map(({ store }) => store.onReplace(listener)));
  }
}
