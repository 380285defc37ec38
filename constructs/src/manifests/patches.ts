import { isObject, type JsonObject } from "../api/schema/schema";

/** An operation of a JSON patch. */
export interface Patch {
  readonly op: "add" | "remove" | "replace";
  readonly path: string;
  readonly value?: unknown;
}

/** The operations that turn one object into another. A list is replaced as a whole. */
export function patchesBetween(from: JsonObject, to: JsonObject, path = ""): readonly Patch[] {
  const removed = Object.keys(from).filter((key) => !Object.hasOwn(to, key));
  const changes = Object.entries(to).flatMap(([key, value]) => patchOf(from[key], value, `${path}/${escaped(key)}`));
  return [...removed.map((key): Patch => ({ op: "remove", path: `${path}/${escaped(key)}` })), ...changes];
}

function patchOf(from: unknown, to: unknown, path: string): readonly Patch[] {
  if (from === undefined) return [{ op: "add", path, value: to }];
  if (isObject(from) && isObject(to)) return patchesBetween(from, to, path);
  return same(from, to) ? [] : [{ op: "replace", path, value: to }];
}

/** Whether two values are equal as JSON, whatever the order of keys. */
export function same(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => same(item, other[index]));
  }
  if (isObject(one) && isObject(other)) return patchesBetween(one, other).length === 0;
  return one === other;
}

/** A key as a part of a JSON pointer. */
function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
