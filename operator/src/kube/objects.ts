/** The shapes on the wire that this folder reads, and the least that a cached object has. */

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  /** RFC 3339 */
  readonly creationTimestamp?: string;
  /** RFC 3339 */
  readonly deletionTimestamp?: string;
}

/** Any object as the API server sends it. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** What a store needs to know of the objects in it. */
export interface Cached {
  readonly uid: string;
  readonly name: string;
  /** `undefined` for cluster-scoped kinds. */
  readonly namespace: string | undefined;
}

/** Makes the cached form of an object. Runs before anything is stored; must not keep `raw` alive. */
export type Transform<T extends Cached> = (raw: KubeObject) => T;

/** `namespace/name`, or `name` for cluster-scoped objects. */
export function keyOf(object: Pick<Cached, "name" | "namespace">): string {
  return object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`;
}

export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: KubeObject;
}
