import type {
  AnyArraySchema,
  AnyMapSchema,
  AnyObjectSchema,
  AnySchema,
  AnyStringSchema,
  NumberSchema,
  Rule,
} from "./schema";

/** An OpenAPI v3 schema for a CustomResourceDefinition. */
export type OpenApiSchema = { readonly [key: string]: unknown };

/** Renders a schema as structural OpenAPI v3 with Kubernetes' extensions. */
export function toOpenApi(schema: AnySchema): OpenApiSchema {
  return defined({ description: schema.description, ...render(schema), ...validations(schema.rules ?? []) });
}

/** The keywords of each schema type. */
function render(schema: AnySchema): OpenApiSchema {
  switch (schema.type) {
    case "object":
      return renderObject(schema);
    case "array":
      return renderArray(schema);
    case "map":
      return renderMap(schema);
    case "open":
      return { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    case "string":
      return renderString(schema);
    case "boolean":
      return { type: "boolean", default: schema.default };
    default:
      return renderNumber(schema);
  }
}

function renderObject({ properties, mapType, default: value }: AnyObjectSchema): OpenApiSchema {
  const entries = Object.entries(properties);
  const required = entries.filter(([, property]) => property.optional !== true).map(([name]) => name);
  return {
    type: "object",
    required: required.length > 0 ? required : undefined,
    properties: Object.fromEntries(entries.map(([name, property]) => [name, toOpenApi(property)])),
    "x-kubernetes-map-type": mapType,
    default: value,
  };
}

function renderArray({ items, maxItems, listType, keys }: AnyArraySchema): OpenApiSchema {
  return {
    type: "array",
    items: toOpenApi(items),
    maxItems,
    "x-kubernetes-list-type": listType,
    "x-kubernetes-list-map-keys": keys,
  };
}

function renderMap({ values, maxProperties }: AnyMapSchema): OpenApiSchema {
  return { type: "object", additionalProperties: toOpenApi(values), maxProperties };
}

function renderString(schema: AnyStringSchema): OpenApiSchema {
  return {
    type: "string",
    format: schema.format,
    enum: schema.enum && Object.keys(schema.enum),
    pattern: schema.pattern,
    minLength: schema.minLength,
    maxLength: schema.maxLength,
    default: schema.default,
  };
}

function renderNumber(schema: NumberSchema): OpenApiSchema {
  return {
    type: schema.type,
    format: schema.format,
    minimum: schema.minimum,
    maximum: schema.maximum,
    default: schema.default,
  };
}

function validations(rules: readonly Rule<never>[]): OpenApiSchema {
  if (rules.length === 0) return {};
  return {
    "x-kubernetes-validations": rules.map(({ cel, message, messageCel }) =>
      defined({ rule: cel, message, messageExpression: messageCel }),
    ),
  };
}

/** The object without undefined keys, which YAML and the API server do not accept. */
export function defined(object: OpenApiSchema): OpenApiSchema {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
