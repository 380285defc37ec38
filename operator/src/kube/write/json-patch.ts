/** Pure: what has to be sent so that `from` becomes `to`. */
import { jsonEqual } from "../cache/equal.js";

export type JsonObject = { readonly [key: string]: unknown };

/** RFC 7386. `undefined` when there is nothing to do. Lists and scalars are replaced as a whole. */
export function mergePatch(from: unknown, to: unknown): unknown {
  if (!isObject(from) || !isObject(to)) return jsonEqual(from, to) ? undefined : withoutUndefined(to);
  const patch: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const inner = fieldPatch(from[key] ?? undefined, to[key] ?? undefined);
    if (inner !== undefined) patch[key] = inner;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** `null` removes the field, `undefined` leaves it. */
function fieldPatch(before: unknown, after: unknown): unknown {
  if (after !== undefined) return mergePatch(before, after);
  return before === undefined ? undefined : null;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A key without a value is left out: in a merge patch `null` would delete. */
function withoutUndefined(value: unknown): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined && inner !== null);
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutUndefined(inner)]));
}
