import { isObject } from "../api/schema/schema";

/** Some fields of a type, at any depth. A list is given as a whole. */
export type PartOf<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: PartOf<T[K]> }
    : T;

/** The first field in which a value lacks the wanted part; undefined if it has the whole part. */
export function difference(wanted: unknown, found: unknown, path = ""): string | undefined {
  if (isObject(wanted) && isObject(found)) {
    for (const [key, value] of Object.entries(wanted)) {
      const inside = difference(value, found[key], path === "" ? key : `${path}.${key}`);
      if (inside !== undefined) return inside;
    }
    return undefined;
  }
  if (isEqual(wanted, found)) return undefined;
  return `${path === "" ? "it" : path} is ${shown(found)}, not ${shown(wanted)}`;
}

function isEqual(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isEqual(item, other[index]));
  }
  if (!isObject(one) || !isObject(other)) return one === other;
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return keys.every((key) => isEqual(one[key], other[key]));
}

function shown(value: unknown): string {
  return value === undefined ? "absent" : JSON.stringify(value);
}
