import { isDeepStrictEqual } from "node:util";

/** A JSON object of any content. */
export type JsonObject = { [key: string]: unknown };

/** Whether a JSON value is an object: neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is an object, else an empty one: for reading fields that may be absent. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The value if it is a list, else an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value if it is text, else "". */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The value at a path of keys, undefined when anything on the way is missing. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (seen, key) => (isObject(seen) && Object.hasOwn(seen, key) ? seen[key] : undefined),
    value,
  );
}

/** Whether two JSON values are the same; the order of keys does not matter. */
export function equal(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a, b);
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The object without keys whose value is undefined, which JSON does not have. */
export function defined<T extends object>(object: T): Defined<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** The type of a JSON value as the API server names it in its messages. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}
