/** The shapes on the wire that this folder reads, the least that a cached object has, equality, and label selectors. */

interface OwnerReference {
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
  readonly deletionGracePeriodSeconds?: number;
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

/** The part of a path for each of the namespaces. @param namespaces empty: all, in one path. */
export function scopesOf(namespaces: readonly string[]): readonly string[] {
  return namespaces.length === 0 ? [""] : namespaces.map((namespace) => `/namespaces/${namespace}`);
}

export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: KubeObject;
}

/** Structural equality of JSON values; a key whose value is `undefined` counts as absent. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && arraysEqual(a, b);
  return recordsEqual(a as Record<string, unknown>, b as Record<string, unknown>);
}

function arraysEqual(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => jsonEqual(item, b[index]));
}

function recordsEqual(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  for (const key in a) if (!jsonEqual(a[key], b[key])) return false;
  // A label may have the name of an inherited member, such as constructor.
  for (const key in b) if (b[key] !== undefined && !Object.hasOwn(a, key)) return false;
  return true;
}

type SelectorOperator = "In" | "NotIn" | "Exists" | "DoesNotExist";

interface SelectorRequirement {
  readonly key: string;
  readonly operator: SelectorOperator;
  /** For In and NotIn. */
  readonly values?: readonly string[];
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly SelectorRequirement[];
}

/** Canonical: equal selectors give equal strings, whatever their order. Empty for a selector that matches all. */
export function selectorString(selector: LabelSelector): string {
  const labels = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const expressions = (selector.matchExpressions ?? []).map(requirementString);
  return [...new Set([...labels, ...expressions])].sort().join(",");
}

export function matchesLabels(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
    (selector.matchExpressions ?? []).every((requirement) => meets(requirement, labels))
  );
}

function requirementString({ key, operator, values = [] }: SelectorRequirement): string {
  const list = [...new Set(values)].sort().join(",");
  switch (operator) {
    case "In":
      return `${key} in (${list})`;
    case "NotIn":
      return `${key} notin (${list})`;
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
  }
}

/** As the server: NotIn also holds where the label is absent. */
function meets({ key, operator, values = [] }: SelectorRequirement, labels: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
  }
}
