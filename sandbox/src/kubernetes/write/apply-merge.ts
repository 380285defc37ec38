/** Pure: how server-side apply merges an object with what a manager applies. */
import { equal, isObject, type JsonObject, listOf, objectOf } from "../json.js";
import type { ResourceType } from "../resources/resource-type.js";
import { mergeKeyOf } from "./merge-keys.js";

/** The keys of the items of a list that is merged; undefined: the list is one value. */
export type Lists = (path: readonly string[]) => readonly string[] | undefined;

export function listsOf(type: ResourceType): Lists {
  if (!type.custom) {
    return (path) => {
      const key = mergeKeyOf(path.at(-2) ?? "", path.at(-1) ?? "");
      return key === undefined ? undefined : [key];
    };
  }
  return (path) => {
    const schema = path.reduce<unknown>((at, name) => childSchema(at, name), type.schema);
    const list = schema as Readonly<Record<string, unknown>> | undefined;
    if (list?.["x-kubernetes-list-type"] !== "map") return undefined;
    return list["x-kubernetes-list-map-keys"] as readonly string[];
  };
}

function childSchema(schema: unknown, name: string): unknown {
  const { properties, additionalProperties, items } = (schema ?? {}) as Readonly<Record<string, JsonObject>>;
  return properties?.[name] ?? (isObject(items) ? childSchema(items, name) : additionalProperties);
}

/** The object with everything that the config contains. */
export function merged(live: JsonObject, config: JsonObject, lists: Lists, path: readonly string[] = []): JsonObject {
  const result = { ...live };
  for (const [name, value] of Object.entries(config)) {
    const here = [...path, name];
    const before = live[name];
    if (isObject(value)) result[name] = merged(isObject(before) ? before : {}, value, lists, here);
    else if (Array.isArray(value)) result[name] = mergedList(before, value, lists, here);
    else result[name] = value;
  }
  return result;
}

function mergedList(before: unknown, items: readonly unknown[], lists: Lists, path: readonly string[]): unknown[] {
  const keys = lists(path);
  if (keys === undefined || !Array.isArray(before)) return [...items];
  const rest = before.filter((old) => !items.some((item) => isSame(old, item, keys)));
  const own = items.map((item) => {
    const old = before.find((candidate) => isSame(candidate, item, keys));
    return isObject(old) && isObject(item) ? merged(old, item, lists, path) : item;
  });
  return [...rest, ...own];
}

function isSame(one: unknown, other: unknown, keys: readonly string[]): boolean {
  return isObject(one) && isObject(other) && keys.every((key) => equal(one[key], other[key]));
}

interface Removal {
  readonly live: JsonObject;
  /** What the manager applied the last time. */
  readonly before: JsonObject;
  readonly config: JsonObject;
  /** What other managers apply. */
  readonly others: readonly JsonObject[];
}

/** The object without what the manager applied before, applies no longer, and no other manager applies. */
export function withoutGone(removal: Removal, lists: Lists, path: readonly string[] = []): JsonObject {
  const { live, before, config, others } = removal;
  const result = { ...live };
  for (const [name, old] of Object.entries(before)) {
    if (!(name in live) || (path.length === 0 && FIXED.has(name))) continue;
    const inner = { live: live[name], before: old, config: config[name], others: others.map((other) => other[name]) };
    const kept = remaining(inner, lists, [...path, name]);
    if (kept === undefined) delete result[name];
    else result[name] = kept;
  }
  return result;
}

const FIXED = new Set(["apiVersion", "kind"]);

interface Values {
  readonly live: unknown;
  readonly before: unknown;
  readonly config: unknown;
  readonly others: readonly unknown[];
}

function remaining(values: Values, lists: Lists, path: readonly string[]): unknown {
  const { live, before } = values;
  if (isObject(live) && isObject(before)) return remainingObject({ ...values, live, before }, lists, path);
  const keys = lists(path);
  if (keys !== undefined && Array.isArray(live) && Array.isArray(before)) return remainingItems(values, keys);
  return isWanted(values) ? live : undefined;
}

function isWanted({ config, others }: Values): boolean {
  return [config, ...others].some((value) => value !== undefined);
}

function remainingObject(
  values: Values & Pick<Removal, "live" | "before">,
  lists: Lists,
  path: readonly string[],
): JsonObject | undefined {
  const { live, before, config, others } = values;
  const kept = withoutGone({ live, before, config: objectOf(config), others: others.map(objectOf) }, lists, path);
  return Object.keys(kept).length > 0 || isWanted(values) ? kept : undefined;
}

function remainingItems({ live, before, config, others }: Values, keys: readonly string[]): unknown {
  const wanted = [config, ...others].flatMap(listOf);
  const gone = listOf(before).filter((item) => !wanted.some((one) => isSame(one, item, keys)));
  const kept = listOf(live).filter((item) => !gone.some((one) => isSame(one, item, keys)));
  return kept.length > 0 || config !== undefined ? kept : undefined;
}

interface Claims {
  readonly live: JsonObject;
  readonly config: JsonObject;
  readonly other: JsonObject;
}

/** Paths that another manager applied, and that the config would change. */
export function conflictsOf(claims: Claims, lists: Lists, path: readonly string[] = []): readonly string[] {
  return Object.entries(claims.config).flatMap(([name, value]) => {
    const here = [...path, name];
    const [live, other] = [claims.live[name], claims.other[name]];
    if (other === undefined || equal(live, value)) return [];
    if (isObject(value)) {
      return conflictsOf({ live: objectOf(live), config: value, other: objectOf(other) }, lists, here);
    }
    if (Array.isArray(value) && lists(here) !== undefined) return [];
    return [`.${here.join(".")}`];
  });
}

/** What a manager applied, without the values that another manager has changed by force. */
export function withoutTaken(before: JsonObject, config: JsonObject): JsonObject {
  const kept = Object.entries(before).flatMap(([name, value]) => {
    const other = config[name];
    if (other === undefined || equal(value, other) || (Array.isArray(value) && Array.isArray(other)))
      return [[name, value]];
    return isObject(value) && isObject(other) ? [[name, withoutTaken(value, other)]] : [];
  });
  return Object.fromEntries(kept) as JsonObject;
}
