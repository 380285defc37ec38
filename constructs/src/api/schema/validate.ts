import { KINDS, type KindName } from "../kinds/kinds";
import { nearest } from "./nearest";
import {
  type AnyArraySchema,
  type AnyMapSchema,
  type AnyObjectSchema,
  type AnySchema,
  isObject,
  type JsonObject,
  type Rule,
} from "./schema";
import { checkScalar, type Problem, wrongType } from "./validate-scalar";

export type { Problem } from "./validate-scalar";

/**
 * Every problem of a spec that the API server would reject on create, in the order of the fields; messages of rules
 * equal the server's. Empty: the spec is valid.
 * @param oldSpec the previous spec, for rules about changes
 */
export function validateSpec(kind: KindName, spec: unknown, oldSpec?: unknown): readonly Problem[] {
  const schema: AnySchema = KINDS[kind].spec;
  return check({ schema, path: "spec", value: withoutNulls(schema, spec), oldValue: withoutNulls(schema, oldSpec) });
}

/** The same for any value of a schema; `path` begins the paths of the problems. */
export function validateValue(schema: AnySchema, value: unknown, path: string): readonly Problem[] {
  return check({ schema, path, value: withoutNulls(schema, value) });
}

/** The value after the server's first step, which drops known fields that are null. */
function withoutNulls(schema: AnySchema, value: unknown): unknown {
  if (schema.type === "array" && Array.isArray(value)) return value.map((item) => withoutNulls(schema.items, item));
  if (!isObject(value)) return value;
  const propertyOf = (name: string): AnySchema | undefined => {
    if (schema.type === "map") return schema.values;
    return schema.type === "object" && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
  };
  const kept = Object.entries(value).filter(
    ([name, field]) => field !== undefined && (field !== null || propertyOf(name) === undefined),
  );
  return Object.fromEntries(
    kept.map(([name, field]) => {
      const property = propertyOf(name);
      return [name, property ? withoutNulls(property, field) : field];
    }),
  );
}

interface Visit {
  readonly schema: AnySchema;
  readonly path: string;
  readonly value: unknown;
  readonly oldValue?: unknown;
}

function check(visit: Visit): readonly Problem[] {
  const own = checkType(visit);
  // A rule needs a value of the right shape, so it runs only if everything inside is valid.
  return own.length > 0 ? own : checkRules(visit);
}

function checkType(visit: Visit): readonly Problem[] {
  const { schema, path, value } = visit;
  switch (schema.type) {
    case "object":
    case "map":
    case "open":
      return isObject(value) ? checkFields(visit, value) : wrongType(path, value, "an object");
    case "array":
      return Array.isArray(value) ? checkArray(schema, path, value) : wrongType(path, value, "a list");
    default:
      return checkScalar(schema, path, value);
  }
}

function checkFields({ schema, path, oldValue }: Visit, value: JsonObject): readonly Problem[] {
  if (schema.type === "object") return checkObject(schema, path, value, isObject(oldValue) ? oldValue : {});
  return schema.type === "map" ? checkMap(schema, path, value) : [];
}

function checkObject(schema: AnyObjectSchema, path: string, object: JsonObject, old: JsonObject): readonly Problem[] {
  const unknown = Object.keys(object)
    .filter((name) => !Object.hasOwn(schema.properties, name))
    .map((name) => ({ path: `${path}.${name}`, message: unknownField(name, Object.keys(schema.properties)) }));
  const known = Object.entries(schema.properties).flatMap(([name, property]) => {
    const at = `${path}.${name}`;
    const field = object[name];
    if (field === undefined) return property.optional ? [] : [{ path: at, message: "is required: add it" }];
    return check({ schema: property, path: at, value: field, oldValue: old[name] });
  });
  return [...unknown, ...known];
}

function checkMap(schema: AnyMapSchema, path: string, value: JsonObject): readonly Problem[] {
  const entries = Object.entries(value);
  const many = entries.length > schema.maxProperties ? [tooMany(path, entries.length, schema.maxProperties)] : [];
  return [
    ...many,
    ...entries.flatMap(([key, field]) => check({ schema: schema.values, path: `${path}.${key}`, value: field })),
  ];
}

function checkArray(schema: AnyArraySchema, path: string, value: readonly unknown[]): readonly Problem[] {
  const many = value.length > schema.maxItems ? [tooMany(path, value.length, schema.maxItems)] : [];
  const inside = value.flatMap((item, index) =>
    check({ schema: schema.items, path: `${path}[${index}]`, value: item }),
  );
  return [...many, ...inside, ...duplicates(schema, path, value)];
}

function duplicates(schema: AnyArraySchema, path: string, value: readonly unknown[]): readonly Problem[] {
  if (schema.listType === "atomic") return [];
  const keys = schema.keys;
  const keyOf = (item: unknown): string => JSON.stringify(keys && isObject(item) ? keys.map((key) => item[key]) : item);
  const seen = new Set<string>();
  return value.flatMap((item, index) => {
    const key = keyOf(item);
    const again = seen.has(key);
    seen.add(key);
    return again ? [{ path: `${path}[${index}]`, message: `${key} is listed twice: remove one` }] : [];
  });
}

function checkRules({ schema, path, value, oldValue }: Visit): readonly Problem[] {
  // The earlier checks ensure the shape that the schema's rules expect; the type system cannot express that.
  const rules = (schema.rules ?? []) as readonly Rule<unknown>[];
  return rules.flatMap((rule) => {
    const message = rule.check(value, oldValue);
    return message === undefined ? [] : [{ path: `${path}${rule.at?.(value) ?? ""}`, message }];
  });
}

function tooMany(path: string, count: number, most: number): Problem {
  return { path, message: `has ${count} entries: at most ${most} are allowed` };
}

function unknownField(name: string, known: readonly string[]): string {
  const longer = known.filter((candidate) => candidate.toLowerCase().startsWith(name.toLowerCase()));
  const near = longer.length === 1 ? longer[0] : nearest(name, known);
  if (near !== undefined) return `is not a field: did you mean "${near}"?`;
  return `is not a field: the fields are ${known.map((field) => JSON.stringify(field)).join(", ")}`;
}
