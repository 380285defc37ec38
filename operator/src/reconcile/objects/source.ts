/** Where the engine finds the objects of a kind: a cache of the API server, and the writers of its objects. */

import type { Cache } from "../../kube/cache/cache.js";
import type { WholeObject } from "../../kube/cache/slim.js";
import { type KubeObject, keyOf } from "../../kube/objects.js";
import type { ObjectWriters } from "./object-writers.js";
import type { OwnResources } from "./own-resources.js";

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
      const ends = [
        resources.listen(({ type, object: { object } }) =>
          listener({ key: objectKey(object), object, deleted: type === "deleted" }),
        ),
        writers.onWrite((_key, object) => resources.wrote(object)),
      ];
      return () => {
        for (const end of ends) end();
      };
    },
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
  };
}

function objectKey({ metadata: { namespace, name } }: KubeObject): string {
  return keyOf({ namespace, name });
}
