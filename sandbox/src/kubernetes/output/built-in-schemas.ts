/** OpenAPI schemas of the built-in kinds: names and types of their fields, as `kubectl explain` shows them. */
import { type Field, type Message, messageNamed } from "../built-in/messages.js";
import { allFields } from "../built-in/unknown-fields.js";
import type { JsonObject } from "../json.js";

/** Name of a message's schema, as the real server has it: `io.k8s.api.core.v1.PodSpec` for `core.PodSpec`. */
export function schemaNameOf(message: string): string {
  const [group = "", name = ""] = message.split(".");
  const home = group === "meta" ? "io.k8s.apimachinery.pkg.apis" : "io.k8s.api";
  return `${home}.${group}.v1.${name}`;
}

/** The schemas of messages and of all that they refer to, by name. */
export function messageSchemas(messages: readonly string[]): JsonObject {
  const schemas: JsonObject = {};
  const visit = (name: string): void => {
    const message = messageNamed(name);
    if (message === undefined || Object.hasOwn(schemas, schemaNameOf(name))) return;
    const properties = propertiesOf(message);
    schemas[schemaNameOf(name)] = { type: "object", ...(Object.keys(properties).length > 0 && { properties }) };
    for (const { type } of allFields(message)) visit(type);
  };
  for (const name of messages) visit(name);
  return schemas;
}

function propertiesOf(message: Message): JsonObject {
  return Object.fromEntries(allFields(message).map((field) => [field.name, fieldSchema(field)]));
}

function fieldSchema({ type, many }: Field): JsonObject {
  const one = TYPES[type] ?? { allOf: [{ $ref: `#/components/schemas/${schemaNameOf(type)}` }] };
  if (many === "list") return { type: "array", items: one };
  return many === "map" ? { type: "object", additionalProperties: one } : one;
}

const TYPES: Readonly<Record<string, JsonObject>> = {
  text: { type: "string" },
  int: { type: "integer" },
  bool: { type: "boolean" },
  float: { type: "number" },
  bytes: { type: "string", format: "byte" },
  quantity: { type: "string" },
  raw: { type: "object" },
  intOrString: { type: "string", format: "int-or-string" },
  time: { type: "string", format: "date-time" },
  microTime: { type: "string", format: "date-time" },
};
