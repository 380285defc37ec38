import type { AnySchema, AnyStringSchema, BooleanSchema, NumberSchema } from "cdk8s-flipop/api";

const EXAMPLE_TIME = "2026-01-31T12:00:00Z";
const EXAMPLE_KEY = "192.0.2.10";

/** An example value: the schema's example, or a value of its type. */
export function exampleOf(schema: AnySchema): unknown {
  if (schema.example !== undefined) return schema.example;
  switch (schema.type) {
    case "object":
      return exampleObject(schema.properties);
    case "array":
      return [exampleOf(schema.items)];
    case "map":
      return { [EXAMPLE_KEY]: exampleOf(schema.values) };
    case "open":
      return {};
    default:
      return exampleScalar(schema);
  }
}

function exampleScalar(schema: AnyStringSchema | NumberSchema | BooleanSchema): unknown {
  if (schema.type === "boolean") return !schema.default;
  if (schema.type !== "string") return schema.default ?? schema.minimum ?? 1;
  return exampleText(schema.enum ? Object.keys(schema.enum) : [], schema.format, schema.default);
}

/** Required properties, and optional ones with an example. */
function exampleObject(properties: Readonly<Record<string, AnySchema & { readonly optional?: boolean }>>): unknown {
  const shown = Object.entries(properties).filter(
    ([, property]) => !property.optional || property.example !== undefined,
  );
  return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property)]));
}

function exampleText(choices: readonly string[], format: string | undefined, usual: string | undefined): string {
  if (format === "date-time") return EXAMPLE_TIME;
  return usual ?? choices.find((choice) => choice !== "") ?? "text";
}
