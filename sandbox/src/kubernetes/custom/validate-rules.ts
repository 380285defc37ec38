import { type FieldError, forbiddenField, invalidValue } from "../field-error.js";
import { at, isObject, typeName } from "../json.js";
import type { Findings } from "../resources/resource-type.js";
import { type CelBindings, celProgram, optional } from "./cel-program.js";
import { toCelInput } from "./cel-values.js";
import { oldItem, oldProperty, type Predecessor, unchanged } from "./correlation.js";
import { childPath, propertySchema, type Schema, type ValidationRule } from "./schema.js";

interface RuleVisit {
  readonly schema: Schema;
  readonly path: string;
  readonly value: unknown;
  readonly old: Predecessor | undefined;
}

/** Runs the CEL rules of a value and of all that is in it. Broken rules of unchanged values are warnings. */
export function validateRules(visit: RuleVisit): Findings {
  const { schema, value } = visit;
  if (value === null || value === undefined) return { errors: [], warnings: [] };
  const own = (schema["x-kubernetes-validations"] ?? []).map((rule) => applyRule(rule, visit));
  return merge([...own, ...children(visit)]);
}

function children(visit: RuleVisit): Findings[] {
  const { schema, path, value, old } = visit;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items) return [];
    return value.map((item, index) =>
      validateRules({ schema: items, path: `${path}[${index}]`, value: item, old: oldItem(old, schema, item) }),
    );
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const known = propertySchema(schema, name);
    if (!known) return [];
    return [validateRules({ schema: known, path: childPath(path, name), value: inner, old: oldProperty(old, name) })];
  });
}

function applyRule(rule: ValidationRule, visit: RuleVisit): Findings {
  const transition = /\boldSelf\b/.test(rule.rule);
  if (transition && !visit.old && !rule.optionalOldSelf) return { errors: [], warnings: [] };
  const bindings = bind(rule, visit);
  let holds: unknown;
  try {
    holds = celProgram(rule.rule)(bindings);
  } catch (error) {
    // A rule that can't be evaluated is an error even where nothing has changed.
    return { errors: [evaluationError(rule, visit, error)], warnings: [] };
  }
  if (holds === true) return { errors: [], warnings: [] };
  const broken = brokenRule(rule, visit, bindings);
  if (transition || !unchanged(visit.old, visit.value)) return { errors: [broken], warnings: [] };
  return { errors: [], warnings: [`${broken.field ?? "<nil>"}: ${broken.detail}`] };
}

function bind({ optionalOldSelf }: ValidationRule, { schema, path, value, old }: RuleVisit): CelBindings {
  const input = (seen: unknown) =>
    toCelInput(path === "" ? withIdentity(seen) : seen, path === "" ? rooted(schema) : schema);
  const self = input(value);
  if (optionalOldSelf) return { self, oldSelf: optional(old && input(old.value)) };
  return old ? { self, oldSelf: input(old.value) } : { self };
}

const TEXT: Schema = { type: "string" };
const IDENTITY: Schema = { type: "object", properties: { name: TEXT, generateName: TEXT } };

/** The root of an object lets rules see what it is and its name. */
function rooted(schema: Schema): Schema {
  return { ...schema, properties: { ...schema.properties, apiVersion: TEXT, kind: TEXT, metadata: IDENTITY } };
}

function withIdentity(value: unknown): unknown {
  return isObject(value)
    ? { ...value, metadata: { generateName: "", ...(isObject(value.metadata) ? value.metadata : {}) } }
    : value;
}

function evaluationError({ rule, message }: ValidationRule, { path, value }: RuleVisit, error: unknown): FieldError {
  const why = error instanceof Error ? error.message : String(error);
  const shown = typeof value === "object" ? typeName(value) : value;
  return invalidValue(path === "" ? undefined : path, shown, `${why} evaluating rule: ${message ?? rule}`);
}

function brokenRule(rule: ValidationRule, { path, value }: RuleVisit, bindings: CelBindings): FieldError {
  const field = childPath(path, (rule.fieldPath ?? "").replace(/^\./, "")).replace(/\.$/, "");
  const place = field === "" ? undefined : field;
  const text = messageOf(rule, bindings);
  if (rule.reason === "FieldValueForbidden") return forbiddenField(place, text);
  const shown = rule.fieldPath === undefined ? value : at(value, ...rule.fieldPath.split(".").slice(1));
  if (rule.reason === "FieldValueRequired")
    return { reason: rule.reason, field: place, detail: `Required value: ${text}` };
  return invalidValue(place, shown, text);
}

function messageOf({ rule, message, messageExpression }: ValidationRule, bindings: CelBindings): string {
  const fallback = message ?? `failed rule: ${rule}`;
  if (messageExpression === undefined) return fallback;
  try {
    const text = celProgram(messageExpression)(bindings);
    // The server takes no message that is empty or has a line break.
    return typeof text === "string" && text.trim() !== "" && !text.includes("\n") ? text : fallback;
  } catch {
    return fallback;
  }
}

function merge(all: readonly Findings[]): Findings {
  return { errors: all.flatMap(({ errors }) => errors), warnings: all.flatMap(({ warnings }) => warnings) };
}
