import { isObject } from "../json.js";
import { childPath, propertySchema, type Schema } from "./schema.js";

/** Removes fields that the schema does not know, in place; returns their paths in the order of the server's warnings. */
export function prune(value: unknown, schema: Schema, path = ""): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => pruneItem(item, schema, `${path}[${index}]`));
  return isObject(value) ? pruneObject(value, schema, path) : [];
}

function pruneItem(item: unknown, schema: Schema, path: string): readonly string[] {
  return schema.items ? prune(item, schema.items, path) : [];
}

function pruneObject(value: Record<string, unknown>, schema: Schema, path: string): readonly string[] {
  const removed: string[] = [];
  for (const name of Object.keys(value).sort()) {
    const at = childPath(path, name);
    const known = propertySchema(schema, name);
    if (known) removed.push(...prune(value[name], known, at));
    else if (!keepsUnknown(schema)) {
      delete value[name];
      removed.push(at);
    }
  }
  return removed;
}

function keepsUnknown(schema: Schema): boolean {
  return schema["x-kubernetes-preserve-unknown-fields"] === true || schema.additionalProperties === true;
}
