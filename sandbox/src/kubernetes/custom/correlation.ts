import { equal, isObject } from "../json.js";
import { mapKey, type Schema } from "./schema.js";

/**
 * The value that a value replaces, if there is one and it can be identified: by the name of the property, and in lists
 * of type `map` by the key. Items of other lists have no predecessor.
 */
export interface Predecessor {
  readonly value: unknown;
}

/** The predecessor of a property. */
export function oldProperty(old: Predecessor | undefined, name: string): Predecessor | undefined {
  if (!old || !isObject(old.value) || !Object.hasOwn(old.value, name)) return undefined;
  return { value: old.value[name] };
}

/** The predecessor of an item of a list. */
export function oldItem(old: Predecessor | undefined, schema: Schema, item: unknown): Predecessor | undefined {
  const key = mapKey(schema, item);
  if (!old || key === undefined || !Array.isArray(old.value)) return undefined;
  const found: unknown = old.value.find((candidate) => mapKey(schema, candidate) === key);
  return found === undefined ? undefined : { value: found };
}

/** Whether nothing has changed: what was wrong before is let pass then. */
export function unchanged(old: Predecessor | undefined, value: unknown): boolean {
  return old !== undefined && equal(old.value, value);
}
