import type { JsonObject } from "./json.js";
import type { Env } from "./objects.js";
import type { Registry } from "./resources/registry.js";
import type { ResourceType } from "./resources/resource-type.js";
import type { Collection } from "./store/collection.js";
import type { Store } from "./store/store.js";

/** Everything behind the API: what is stored, which resources there are, what time it is. */
export interface Cluster {
  readonly store: Store;
  readonly registry: Registry;
  readonly env: Env;
  /** By the uid of an object: what each manager last applied to it. */
  readonly applied: Map<string, ReadonlyMap<string, JsonObject>>;
}

/** The collection of a resource. */
export function collectionOf({ store }: Cluster, type: ResourceType): Collection {
  return store.collection(type.storage);
}
