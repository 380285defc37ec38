import { type FieldError, invalidValue, notSupported, tooLong, wrongType } from "../field-error.js";
import { equal } from "../json.js";
import type { Predecessor } from "./correlation.js";
import type { Schema } from "./schema.js";

/** A value on its way through the schema. */
export interface SchemaVisit {
  readonly schema: Schema;
  /** Path of the field in errors. */
  readonly path: string;
  /** Path of the field inside messages: for a status write it begins below the status. */
  readonly name: string;
  readonly value: unknown;
  readonly old: Predecessor | undefined;
}

/** What of a text, number or other single value is not as the schema says. */
export function scalarErrors(visit: SchemaVisit): readonly FieldError[] {
  const { value } = visit;
  const own =
    typeof value === "string" ? textErrors(visit, value) : typeof value === "number" ? numberErrors(visit, value) : [];
  return [...own, ...enumErrors(visit)];
}

function enumErrors({ schema, value, path }: SchemaVisit): FieldError[] {
  const { enum: allowed } = schema;
  if (!allowed || allowed.some((one) => equal(one, value))) return [];
  return [notSupported(path, value, allowed.map(String))];
}

function textErrors({ schema, path, name }: SchemaVisit, value: string): FieldError[] {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = schema;
  // The server counts code points.
  const length = [...value].length;
  const found: FieldError[] = [];
  if (length > maxLength) found.push(tooLong(path, maxLength));
  if (length < minLength)
    found.push(invalidValue(path, value, `${name} in body should be at least ${minLength} chars long`));
  if (pattern !== undefined && !compiled(pattern).test(value)) {
    found.push(invalidValue(path, value, `${name} in body should match '${pattern}'`));
  }
  if (format === "date-time" && !isDateTime(value)) {
    found.push(wrongType(path, value, `${name} in body must be of type date-time: ${JSON.stringify(value)}`));
  }
  return found;
}

function numberErrors({ schema, path, name }: SchemaVisit, value: number): FieldError[] {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  const found: FieldError[] = [];
  if (value < minimum) {
    found.push(invalidValue(path, value, `${name} in body should be greater than or equal to ${minimum}`));
  }
  if (value > maximum)
    found.push(invalidValue(path, value, `${name} in body should be less than or equal to ${maximum}`));
  return found;
}

const expressions = new Map<string, RegExp>();

function compiled(pattern: string): RegExp {
  const expression = expressions.get(pattern) ?? new RegExp(pattern, "u");
  expressions.set(pattern, expression);
  return expression;
}

function isDateTime(text: string): boolean {
  const shape = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;
  return shape.test(text) && !Number.isNaN(Date.parse(text));
}
