import type { CelInput } from "@bufbuild/cel";
import { isObject } from "../json.js";
import { propertySchema, type Schema } from "./schema.js";

/**
 * A JSON value as CEL sees it: integers as int, other numbers as double, by the schema. Fields that the schema does
 * not declare can't be read by rules. Times stay text.
 */
export function toCelInput(value: unknown, schema: Schema): CelInput {
  if (Array.isArray(value)) return value.map((item: unknown) => toCelInput(item, schema.items ?? {}));
  if (isObject(value)) return new Map(declared(value, schema));
  if (typeof value === "number") return toNumber(value, schema);
  return typeof value === "string" || typeof value === "boolean" ? value : null;
}

function toNumber(value: number, schema: Schema): bigint | number {
  const integer = schema.type === "integer" || schema["x-kubernetes-int-or-string"] === true;
  return integer && Number.isInteger(value) ? BigInt(value) : value;
}

function declared(value: Readonly<Record<string, unknown>>, schema: Schema): [string, CelInput][] {
  const data = isObject(schema.additionalProperties);
  return Object.entries(value).flatMap(([name, inner]): [string, CelInput][] => {
    const known = propertySchema(schema, name);
    return known ? [[data ? name : escaped(name), toCelInput(inner, known)]] : [];
  });
}

const RESERVED = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/** A property's name as rules must write it, where it is no CEL identifier. */
function escaped(name: string): string {
  if (RESERVED.has(name)) return `__${name}__`;
  return name
    .replaceAll("__", "__underscores__")
    .replaceAll(".", "__dot__")
    .replaceAll("-", "__dash__")
    .replaceAll("/", "__slash__");
}
