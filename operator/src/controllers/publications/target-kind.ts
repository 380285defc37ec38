/** What the controller needs to know of a kind whose objects show addresses, and of each object. */

import type { PublicationKind } from "cdk8s-flipop/api";
import type { Cache } from "../../kube/cache/cache.js";
import { type Cached, type KubeObject, keyOf } from "../../kube/objects.js";
import type { Patch } from "../../kube/write/patch.js";
import type { TargetFacts } from "../../publishing/publications.js";

/** An object that has runs: one that the operator may write, or whose addresses it still has to withdraw. */
export interface TargetObject extends KubeObject {
  /** Addresses in its status that count as the operator's, sorted. */
  readonly shown: readonly string[];
  /** All addresses in its status, sorted. */
  readonly all: readonly string[];
  /** Whether resources may show addresses there. */
  readonly allowed: boolean;
}

/** One version of an object; `deleted`: it has no runs any more. */
export interface TargetEvent {
  readonly key: string;
  readonly object: TargetObject;
  readonly deleted: boolean;
}

/** Which objects of the caches have runs, and what the controller sees of one. */
interface Targets<T extends Cached> {
  caches(): readonly Cache<T>[];
  hasRuns(object: T): boolean;
  objectOf(object: T): TargetObject;
}

/** The objects of one kind, as the caches have them. */
export interface TargetKind {
  readonly kind: PublicationKind;
  readonly plural: string;
  /** Name of the controller. */
  readonly controller: string;
  /** What a resource may know of one of them. `undefined`: they have not been read yet. */
  look(key: string): TargetFacts | undefined;
  keys(): Iterable<string>;
  /** `undefined`: it has no runs. */
  get(key: string): TargetObject | undefined;
  /** @returns the function that ends it. */
  listen(listener: (event: TargetEvent) => void): () => void;
  path(key: string): string;
  /** Of `/status`. */
  patch(object: TargetObject, ips: readonly string[]): Patch;
}

/** The part of a kind that reads the caches. */
export function targetsIn<T extends Cached>(targets: Targets<T>): Pick<TargetKind, "keys" | "get" | "listen"> {
  const { caches, hasRuns, objectOf } = targets;
  return {
    *keys() {
      for (const { store } of caches()) for (const object of store.list()) if (hasRuns(object)) yield keyOf(object);
    },
    get: (key) => {
      const object = findIn(caches(), key);
      return object !== undefined && hasRuns(object) ? objectOf(object) : undefined;
    },
    listen: (listener) => {
      const ends = caches().map(({ store }) =>
        store.listen(({ type, object }) => {
          const deleted = type === "deleted" || !hasRuns(object);
          listener({ key: keyOf(object), object: objectOf(object), deleted });
        }),
      );
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

/** @param key `namespace/name` */
export function findIn<T extends Cached>(caches: readonly Cache<T>[], key: string): T | undefined {
  return caches.map(({ store }) => store.get(key)).find((found) => found !== undefined);
}
