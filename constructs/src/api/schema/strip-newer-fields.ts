import { KINDS, type KindName } from "../kinds/kinds";
import { type AnySchema, isObject } from "./schema";

/** The part of a spec that this release knows. */
export interface KnownSpec {
  /** The spec without other fields, at any depth. */
  readonly spec: unknown;
  /** Paths of the other fields, without those that are false: false asks for nothing. */
  readonly unknown: readonly string[];
}

/**
 * A spec as an API server with the definitions of this release stores it. Newer definitions may have more fields, and their
 * defaults are in every resource.
 */
export function knownSpec(kind: KindName, spec: unknown): KnownSpec {
  const unknown: string[] = [];
  return { spec: known({ schema: KINDS[kind].spec, path: "spec", value: spec }, unknown), unknown };
}

interface Visit {
  readonly schema: AnySchema;
  readonly path: string;
  readonly value: unknown;
}

function known({ schema, path, value }: Visit, unknown: string[]): unknown {
  if (schema.type === "array" && Array.isArray(value)) {
    return value.map((item, index) => known({ schema: schema.items, path: `${path}[${index}]`, value: item }, unknown));
  }
  if (schema.type !== "object" || !isObject(value)) return value;
  const { properties } = schema;
  const fields = Object.entries(value).flatMap(([name, field]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const at = `${path}.${name}`;
    if (property !== undefined) return [[name, known({ schema: property, path: at, value: field }, unknown)] as const];
    if (field !== false && field !== undefined) unknown.push(at);
    return [];
  });
  return Object.fromEntries(fields);
}
