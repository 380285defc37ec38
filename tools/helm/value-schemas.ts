import { allProviders, FLAGS, providerVariables } from "cdk8s-flipop/api";
import { MANAGED_FLAGS } from "../../constructs/src/operator/arguments.js";

/** Any JSON value. */
export type SchemaJson = string | number | boolean | readonly SchemaJson[] | { readonly [key: string]: SchemaJson };
/** A JSON schema (draft 7). Helm's validator does not support look-ahead in patterns. */
export type JsonSchema = Readonly<Record<string, SchemaJson>>;

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

/** Whether an empty text means "not set". */
interface TextOptions {
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
export function namespaceSchema(): JsonSchema {
  return { ...textSchema(`^${LABEL}$`), maxLength: 63 };
}

export function namespacesSchema({ minItems = 0 }: { readonly minItems?: number } = {}): JsonSchema {
  return { type: "array", minItems, uniqueItems: true, items: namespaceSchema() };
}

/** The name of an object. */
export function nameSchema(options: TextOptions = {}): JsonSchema {
  return { ...textSchema(orEmpty(`${LABEL}(\\.${LABEL})*`, options)), maxLength: 253 };
}

/** CPU or memory. */
export function quantitySchema(options: TextOptions = {}): JsonSchema {
  return textSchema(orEmpty("[0-9]+(\\.[0-9]+)?(m|k|[KMGTPE]i|[MGTPE])?", options));
}

/** Labels that users may choose; the fixed ones cannot be changed. */
export function labelsSchema(): JsonSchema {
  return {
    type: "object",
    propertyNames: { not: { anyOf: [{ pattern: "^app\\.kubernetes\\.io/" }, { enum: ["kubernetes.io/os"] }] } },
    additionalProperties: { type: "string", maxLength: 63, pattern: "^[-A-Za-z0-9_.]*$" },
  };
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

/** Variables that are not secret and have no value in the chart. */
export function envSchema(): JsonSchema {
  const secrets = providerVariables()
    .filter(({ secret }) => secret)
    .map(({ env }) => env);
  const managed = FLAGS.filter(({ name }) => name in MANAGED_FLAGS).map(({ env }) => env);
  return {
    type: "object",
    propertyNames: { pattern: "^[A-Za-z_][A-Za-z0-9_]*$", not: { enum: [...secrets, ...managed] } },
    additionalProperties: { type: "string", not: tokenSchema() },
  };
}

/** Flags that have no value in the chart. */
export function extraArgsSchema(): JsonSchema {
  const free = FLAGS.map(({ name }) => name).filter((name) => !(name in MANAGED_FLAGS));
  return {
    type: "array",
    items: { ...textSchema(`^--(${free.join("|")})(=.*)?$`), not: tokenSchema() },
  };
}

/** Texts that look like an API token, which belong in a Secret. */
function tokenSchema(): JsonSchema {
  return { anyOf: allProviders().flatMap(({ tokenForms }) => tokenForms.map(formSchema)) };
}

function formSchema(form: string | number): JsonSchema {
  if (typeof form === "string") return { pattern: form };
  const mixed = [`^[-_A-Za-z0-9]{${form}}$`, "[a-z]", "[A-Z]", "[0-9]"];
  return { allOf: mixed.map((pattern) => ({ pattern })) };
}

function orEmpty(pattern: string, options: TextOptions): string {
  return options.orEmpty ? `^(${pattern})?$` : `^${pattern}$`;
}
