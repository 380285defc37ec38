/** Query parameters. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Names a collection, an object or a subresource. */
export interface ResourceName {
  /** Such as `v1` or `apps/v1`. */
  readonly apiVersion: string;
  /** Such as `pods`. */
  readonly plural: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** A path of the API, such as `/api/v1/nodes`, or the names in it. */
export type ResourceRef = string | ResourceName;

/** The part of an object's metadata that tests read. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

/** Reference to the owner of an object. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

/** Any object of the API. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** The API server's error for a request. */
export interface KubeStatus {
  readonly kind?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly code?: number;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The path of a reference, with its query. */
export function toPath(ref: ResourceRef, query: Query = {}): string {
  const path = typeof ref === "string" ? ref : namedPath(ref);
  const parameters = new URLSearchParams(Object.entries(query).flatMap(pairs));
  if (parameters.size === 0) return path;
  return `${path}${path.includes("?") ? "&" : "?"}${parameters.toString()}`;
}

function pairs([name, value]: [string, Query[string]]): [string, string][] {
  if (value === undefined) return [];
  const values = Array.isArray(value) ? (value as readonly string[]) : [String(value)];
  return values.map((one) => [name, one]);
}

function namedPath({ apiVersion, plural, namespace, name, subresource }: ResourceName): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const scope = namespace === undefined ? [] : ["namespaces", namespace];
  const parts = [...scope, plural, name, subresource].filter((part) => part !== undefined);
  return [root, ...parts.map(encodeURIComponent)].join("/");
}
