/** JSON as it travels. */

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Whether a JSON value is an object: neither null nor a list. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses a request's body. Undefined for an empty one; `"malformed-json"` where it is not JSON. */
export function parseBody(text: string): { readonly value: JsonValue | undefined } | "malformed-json" {
  if (text === "") return { value: undefined };
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch {
    return "malformed-json";
  }
}
