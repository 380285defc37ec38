import type { Flag } from "cdk8s-flipop/api";
import { LABEL_VALUE_PATTERN } from "../../constructs/src/api/labels/label-syntax.js";
import { AFFINITY_FIELDS } from "../../constructs/src/operator/checks/check-pods.js";

/** Any JSON value. */
export type SchemaJson = string | number | boolean | readonly SchemaJson[] | { readonly [key: string]: SchemaJson };
/** A JSON schema (draft 7). Helm's validator does not support look-ahead in patterns. */
export type JsonSchema = Readonly<Record<string, SchemaJson>>;

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

/** Whether an empty text means "not set". */
export interface TextOptions {
  readonly orEmpty?: boolean;
}

export function booleanSchema(): JsonSchema {
  return { type: "boolean" };
}

export function numberSchema(type: "integer" | "number", bounds: JsonSchema): JsonSchema {
  return { type, ...bounds };
}

export function textSchema(pattern: string): JsonSchema {
  return { type: "string", pattern };
}

/** A namespace. */
function namespaceSchema(): JsonSchema {
  return { ...textSchema(`^${LABEL}$`), maxLength: 63 };
}

export function namespacesSchema({ minItems = 0 }: { readonly minItems?: number } = {}): JsonSchema {
  return { type: "array", minItems, uniqueItems: true, items: namespaceSchema() };
}

/** The name of an object. */
export function nameSchema(options: TextOptions = {}): JsonSchema {
  return { ...textSchema(orEmpty(`${LABEL}(\\.${LABEL})*`, options)), maxLength: 253 };
}

/** Labels that users may choose. A template checks the keys. */
export function labelsSchema(): JsonSchema {
  return {
    type: "object",
    additionalProperties: textSchema(`^${LABEL_VALUE_PATTERN}$`),
  };
}

/** Limits by namespace. A template checks ranges of addresses and patterns of names. */
export function tenantLimitsSchema(): JsonSchema {
  const texts = (text: JsonSchema, maxLength = 253): JsonSchema => ({
    ...{ type: "array", uniqueItems: true, maxItems: 64 },
    items: { type: "string", ...text, minLength: 1, maxLength },
  });
  const maximum = numberSchema("integer", { minimum: 0, maximum: 10_000 });
  const properties = {
    names: { ...texts(textSchema("^[-a-z0-9*]+$"), 63), minItems: 1, maxItems: 256 },
    allowedAddresses: texts({}, 49),
    allowedZones: texts(textSchema("^[-.A-Za-z0-9_]+$")),
    allowedNames: texts({}),
    maxCreatedAddresses: maximum,
  };
  const namespaces = { type: "object", properties, required: ["names"], additionalProperties: false };
  return {
    type: "object",
    properties: { maxCreatedAddresses: maximum, namespaces: { type: "array", maxItems: 256, items: namespaces } },
    additionalProperties: false,
  };
}

/** Annotations, whose values may be any text. A template checks the keys. */
export function annotationsSchema(): JsonSchema {
  return { type: "object", additionalProperties: { type: "string" } };
}

/** A list of objects with the fields of a pod's tolerations. */
export function tolerationsSchema(): JsonSchema {
  const text = { type: "string" };
  const effect = { enum: ["", "NoSchedule", "PreferNoSchedule", "NoExecute"] };
  const fields = { key: text, operator: text, value: text, effect, tolerationSeconds: { type: "integer" } };
  return { type: "array", items: closed(fields) };
}

/** The affinity of a pod. */
export function affinitySchema(): JsonSchema {
  const fields = AFFINITY_FIELDS.map((field) => [field, { type: "object" }]);
  return { type: "object", properties: Object.fromEntries(fields), additionalProperties: false };
}

/** The entry of a Secret. */
export function credentialsSchema(): JsonSchema {
  return {
    type: "object",
    properties: { secretName: nameSchema(), key: textSchema("^[-._a-zA-Z0-9]+$") },
    required: ["secretName", "key"],
    additionalProperties: false,
  };
}

/** The values of a flag, as `parseFlag` takes them. */
export function flagPattern({ type, choices }: Flag): string {
  switch (type) {
    case "boolean":
      return ["true", "t", "false", "f"].map(anyCase).concat("1", "0").join("|");
    case "seconds":
      return "[0-9]*[1-9][0-9]*(\\.[0-9]+)?s?|0+\\.[0-9]*[1-9][0-9]*s?";
    case "count":
      return "[0-9]{1,9}";
    default:
      return choices?.join("|") ?? ".*";
  }
}

function anyCase(word: string): string {
  return [...word].map((letter) => `[${letter}${letter.toUpperCase()}]`).join("");
}

/** An object with no other fields. */
export function closed(properties: JsonSchema): JsonSchema {
  return { type: "object", properties, additionalProperties: false };
}

export function orEmpty(pattern: string, options: TextOptions): string {
  return options.orEmpty ? `^(${pattern})?$` : `^${pattern}$`;
}
