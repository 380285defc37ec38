import { isObject } from "../json.js";
import { propertySchema, type Schema } from "./schema.js";

/**
 * Sets missing fields to their defaults, in place. A null where none is allowed counts as missing: it is replaced by
 * the default or, without one, dropped.
 */
export function applyDefaults(value: unknown, schema: Schema): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items) for (const item of value) applyDefaults(item, items);
    return;
  }
  if (!isObject(value)) return;
  setDefaults(value, schema);
  for (const [name, inner] of Object.entries(value)) {
    const known = propertySchema(schema, name);
    if (known) applyDefaults(inner, known);
  }
}

function setDefaults(value: Record<string, unknown>, { properties = {} }: Schema): void {
  for (const [name, property] of Object.entries(properties)) {
    if (value[name] === null && property.nullable !== true) delete value[name];
    if (!Object.hasOwn(value, name) && property.default !== undefined) value[name] = structuredClone(property.default);
  }
}
