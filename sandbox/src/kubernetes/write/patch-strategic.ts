import { internalError } from "../api-status.js";
import { equal, isObject, type JsonObject, listOf } from "../json.js";
import { isMergedSet, mergeKeyOf } from "./merge-keys.js";
import { mergedOrder } from "./merge-order.js";

const ORDER = "$setElementOrder/";
const DELETE_FROM = "$deleteFromPrimitiveList/";
const RETAIN = "$retainKeys";

/**
 * Applies a strategic merge patch: as a merge patch, but lists of the built-in kinds are merged by key, and directives
 * (`$patch`, `$setElementOrder`, `$deleteFromPrimitiveList`, `$retainKeys`) are followed.
 */
export function strategicPatch(target: JsonObject, patch: JsonObject): JsonObject {
  return mergeObject(target, patch, "");
}

function mergeObject(target: JsonObject, patch: JsonObject, parent: string): JsonObject {
  if (patch.$patch === "replace") return withoutDirectives(patch);
  if (patch.$patch === "delete") return {};
  const merged = retained(target, patch[RETAIN]);
  for (const [key, value] of Object.entries(patch)) {
    if (!key.startsWith("$")) mergeField(merged, key, value, { patch, parent });
    else if (key.startsWith(DELETE_FROM)) deleteValues(merged, key.slice(DELETE_FROM.length), value);
  }
  reorderUnpatched(merged, patch, parent);
  return merged;
}

interface Place {
  readonly patch: JsonObject;
  readonly parent: string;
}

function mergeField(merged: JsonObject, key: string, value: unknown, { patch, parent }: Place): void {
  const before = merged[key];
  if (value === null) delete merged[key];
  else if (isObject(value)) merged[key] = mergeObject(isObject(before) ? before : {}, value, key);
  else if (Array.isArray(value)) {
    const place = { field: key, parent, order: patch[ORDER + key] };
    merged[key] = Array.isArray(before) ? mergeList(before, value, place) : newList(value);
  } else merged[key] = value;
}

interface ListPlace {
  readonly parent: string;
  readonly field: string;
  /** `$setElementOrder` of the list, if the patch has it. */
  readonly order: unknown;
}

function mergeList(
  target: readonly unknown[],
  patch: readonly unknown[],
  { parent, field, order }: ListPlace,
): unknown[] {
  if (isMergedSet(parent, field)) {
    const items = [...target, ...patch.filter((item) => !target.includes(item))];
    return mergedOrder({ target, items, wanted: order ? listOf(order) : patch, same: equal });
  }
  const key = mergeKeyOf(parent, field);
  if (key === undefined) return newList(patch);
  const items = patch.map((item) => keyed(item, key));
  if (items.some((item) => item.$patch === "replace" && !(key in item))) {
    return items.filter((item) => key in item).map(withoutDirectives);
  }
  const merged = mergeItems(target, items, { key, field });
  return mergedOrder({ target, items: merged, wanted: order ? listOf(order) : items, same: sameKey(key) });
}

/** A list that is not merged with anything; its items are taken as they are, whatever keys they lack. */
function newList(items: readonly unknown[]): unknown[] {
  return items.map((item) => (isObject(item) ? withoutDirectives(item) : item)).filter((item) => !isEmptyObject(item));
}

function isEmptyObject(item: unknown): boolean {
  return isObject(item) && Object.keys(item).length === 0;
}

function sameKey(key: string) {
  return (a: unknown, b: unknown) => isObject(a) && isObject(b) && equal(a[key], b[key]);
}

function keyed(item: unknown, key: string): JsonObject {
  if (isObject(item) && (key in item || item.$patch === "replace")) return item;
  throw internalError(`map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
}

function mergeItems(
  target: readonly unknown[],
  patch: readonly JsonObject[],
  { key, field }: { key: string; field: string },
): JsonObject[] {
  const merged = target.filter(isObject);
  for (const item of patch) {
    const index = merged.findIndex((candidate) => equal(candidate[key], item[key]));
    const before = merged[index];
    if (item.$patch === "delete") {
      if (index >= 0) merged.splice(index, 1);
    } else if (before === undefined) merged.push(mergeObject({}, item, field));
    else merged[index] = mergeObject(before, item, field);
  }
  return merged;
}

/** A patch may change the order of a list alone. */
function reorderUnpatched(merged: JsonObject, patch: JsonObject, parent: string): void {
  for (const [directive, order] of Object.entries(patch)) {
    const field = directive.slice(ORDER.length);
    const key = mergeKeyOf(parent, field);
    if (!directive.startsWith(ORDER) || field in patch || key === undefined) continue;
    const target = listOf(merged[field]);
    if (target.length > 0) {
      merged[field] = mergedOrder({ target, items: target, wanted: listOf(order), same: sameKey(key) });
    }
  }
}

function deleteValues(merged: JsonObject, field: string, values: unknown): void {
  const gone = listOf(values);
  merged[field] = listOf(merged[field]).filter((value) => !gone.includes(value));
}

function retained(target: JsonObject, keys: unknown): JsonObject {
  if (!Array.isArray(keys)) return { ...target };
  return Object.fromEntries(Object.entries(target).filter(([key]) => keys.includes(key)));
}

function withoutDirectives(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !key.startsWith("$")));
}
