import type { AnyStringSchema, BooleanSchema, NumberSchema } from "./schema";

/** A mistake that the API server would reject. */
export interface Problem {
  /** Path of the field, such as `spec.match.podLabel` or `spec.ips[1]`. */
  readonly path: string;
  /** The actual value and the fix. */
  readonly message: string;
}

type ScalarSchema = AnyStringSchema | NumberSchema | BooleanSchema;

/** Maximum number of characters of a value that a message shows. */
const SHOWN = 200;

/** The problems of a text, number or boolean, without those of rules. */
export function checkScalar(schema: ScalarSchema, path: string, value: unknown): readonly Problem[] {
  if (schema.type === "boolean") return typeof value === "boolean" ? [] : wrongType(path, value, "true or false");
  if (schema.type !== "string") return checkNumber(schema, path, value);
  if (typeof value !== "string") return wrongType(path, value, "a string");
  const message = lengthProblem(schema, value) ?? contentProblem(schema, value);
  return message === undefined ? [] : [{ path, message }];
}

/** The problem of a value of a wrong type. */
export function wrongType(path: string, value: unknown, expected: string): readonly Problem[] {
  // JSON cannot represent NaN.
  const text = typeof value === "number" ? String(value) : `${JSON.stringify(value)}`;
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  return [{ path, message: `${shown} is not ${expected}` }];
}

function lengthProblem({ minLength = 0, maxLength }: AnyStringSchema, value: string): string | undefined {
  // The server counts code points.
  const length = [...value].length;
  if (length < minLength) return "is empty: give a value";
  if (maxLength === undefined || length <= maxLength) return undefined;
  return `has ${length} characters: at most ${maxLength} are allowed`;
}

function contentProblem(schema: AnyStringSchema, value: string): string | undefined {
  const shown = JSON.stringify(value.length > SHOWN ? `${value.slice(0, SHOWN)}…` : value);
  if (schema.enum && !Object.hasOwn(schema.enum, value)) {
    const choice = Object.keys(schema.enum).map((known) => JSON.stringify(known));
    return `${shown} is not supported: use ${choice.join(" or ")}`;
  }
  if (!schema.pattern || new RegExp(schema.pattern, "u").test(value)) return undefined;
  return `${shown} ${patternProblem(schema)}`;
}

function patternProblem({ pattern, words, example, default: fallback }: AnyStringSchema): string {
  const like = typeof example === "string" ? example : fallback;
  const such = like === undefined ? "" : JSON.stringify(like);
  if (words) return `is not ${words.is}: ${words.use}${such && `, such as ${such}`}`;
  return `does not match ${pattern}${such && `: give a value such as ${such}`}`;
}

function checkNumber(schema: NumberSchema, path: string, value: unknown): readonly Problem[] {
  if (typeof value !== "number" || !Number.isFinite(value)) return wrongType(path, value, "a number");
  if (schema.type === "integer" && !Number.isInteger(value)) return wrongType(path, value, "a whole number");
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  const unit = schema.unit === undefined ? "" : ` ${schema.unit}`;
  if (value < minimum) return [{ path, message: `${value}${unit} is too small: at least ${minimum}${unit}` }];
  return value > maximum ? [{ path, message: `${value}${unit} is too large: at most ${maximum}${unit}` }] : [];
}
