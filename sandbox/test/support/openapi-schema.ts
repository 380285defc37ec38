/** Turns schemas of an OpenAPI 3.0 description into stricter ones. */

export interface Schema {
  readonly [keyword: string]: unknown;
}

/**
 * `closed`: no property that the schema does not name. `complete`: closed, and every property that it names is there.
 * Descriptions declare few fields required and forbid none, so that as they are they let nearly everything pass.
 */
export type Strictness = "closed" | "complete";

/** What the stricter forms must not insist on. Properties are named `parent.child`, or `parent.*` for all of them. */
export interface SchemaExceptions {
  /** May be absent. */
  readonly optional: readonly string[];
  /** May be there although the schema has no such property. */
  readonly extra: readonly string[];
}

interface Context {
  readonly resolve: (ref: string) => Schema;
  readonly strictness: Strictness;
  readonly exceptions: SchemaExceptions;
  /** Property that holds this schema; lists are looked through. */
  readonly parent: string;
}

/** A copy without references; `allOf` is merged, since closed schemas can't be combined. */
export function strictCopy(schema: Schema, context: Context): Schema {
  if (typeof schema["$ref"] === "string") return strictCopy(context.resolve(schema["$ref"]), context);
  const { allOf, ...own } = schema;
  if (Array.isArray(allOf)) return strictCopy(merge([own, ...allOf], context), context);
  const copy: Record<string, unknown> = { ...schema };
  for (const keyword of ["anyOf", "oneOf"]) {
    const branches = schema[keyword];
    if (Array.isArray(branches)) copy[keyword] = branches.map((branch: Schema) => strictCopy(branch, context));
  }
  if (isSchema(schema["items"])) copy["items"] = strictCopy(schema["items"], context);
  return isSchema(schema["properties"]) ? strictObject(copy, schema["properties"], context) : emptied(copy);
}

/** An object without any property named, as the null in `anyOf: [null, thing]`: else everything would pass there. */
function emptied(schema: Schema): Schema {
  const says = ["additionalProperties", "anyOf", "oneOf"].some((keyword) => schema[keyword] !== undefined);
  const isBare = schema["type"] === "object" && !says;
  if (!isBare) return schema;
  return schema["nullable"] === true ? { type: "null" } : { type: "object", maxProperties: 0 };
}

function strictObject(schema: Schema, properties: Schema, context: Context): Schema {
  const { strictness, exceptions, parent } = context;
  const kept = Object.entries(properties).filter(
    ([, property]) => strictness !== "complete" || !isSchema(property) || property["writeOnly"] !== true,
  );
  const strict = kept.map(([name, property]) => [name, strictCopy(property as Schema, { ...context, parent: name })]);
  const extra = exceptions.extra.flatMap((path) => (path.startsWith(`${parent}.`) ? [path.split(".")[1] ?? ""] : []));
  const all = Object.fromEntries([...extra.map((name) => [name, {}]), ...strict]) as Schema;
  const isOptional = (name: string) =>
    exceptions.optional.includes(`${parent}.${name}`) || exceptions.optional.includes(`${parent}.*`);
  const demanded = kept.map(([name]) => name).filter((name) => !isOptional(name));
  const required = strictness === "complete" ? demanded : (schema["required"] ?? []);
  return { ...schema, properties: all, required, additionalProperties: false };
}

/** One schema that says what all of them say. Throws for a choice in a branch that names properties of its own. */
function merge(branches: readonly Schema[], context: Context): Schema {
  let merged: Schema = {};
  for (const branch of branches) {
    const { $ref, allOf, ...own } = branch;
    const referred = typeof $ref === "string" ? merge([context.resolve($ref)], context) : {};
    const nested = Array.isArray(allOf) ? merge(allOf, context) : {};
    merged = both(both(merged, both(referred, own)), nested);
  }
  const choices = asList(merged["anyOf"]);
  if (choices.every(isDemand)) return merged;
  throw new Error(`cannot merge ${JSON.stringify(choices)}: only choices of required fields are understood`);
}

/** `{required: [...]}` alone. */
function isDemand(choice: unknown): boolean {
  return isSchema(choice) && Object.keys(choice).every((key) => ["required", "title", "description"].includes(key));
}

function both(a: Schema, b: Schema): Schema {
  const properties = { ...asSchema(a["properties"]), ...asSchema(b["properties"]) };
  const required = [...asList(a["required"]), ...asList(b["required"])];
  return {
    ...{ ...a, ...b },
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required: [...new Set(required)] } : {}),
  };
}

function asSchema(value: unknown): Schema {
  return isSchema(value) ? value : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
