import type { ApiObject } from "../objects.js";
import { type ResourceType, wireForm } from "../resources/resource-type.js";

const texts = new WeakMap<ApiObject, string>();

/** The JSON of an object as the API answers it; made once for each version of an object. */
export function objectText(type: ResourceType, stored: ApiObject): string {
  const object = wireForm(type, stored);
  const known = texts.get(object);
  if (known !== undefined) return known;
  const text = JSON.stringify(object);
  texts.set(object, text);
  return text;
}

/** The JSON of an object as an item of a list: items of built-in kinds do not name their kind. */
export function itemText(type: ResourceType, stored: ApiObject): string {
  const text = objectText(type, stored);
  if (type.custom) return text;
  // Stored objects begin with their kind and apiVersion.
  const { kind, apiVersion } = wireForm(type, stored);
  const prefix = JSON.stringify({ kind, apiVersion }).slice(0, -1);
  return text.startsWith(`${prefix},`) ? `{${text.slice(prefix.length + 1)}` : text;
}
