import { Yaml } from "cdk8s";
import { propDocs } from "./prop-docs.js";
import type { JsonSchema } from "./value-schemas.js";
import { VALUES } from "./values.js";

const COMMENT_WIDTH = 100;

/** values.yaml: every value with its default and the docstring of its prop. */
export function valuesYaml(): string {
  const docs = propDocs();
  const blocks = Object.entries(VALUES).map(([name, { default: value, note }]) => {
    const text = [docs.get(name), note].filter((part) => part !== undefined).join(" ");
    return `${comment(text)}${Yaml.stringify({ [name]: value })}`;
  });
  return blocks.join("\n");
}

/** values.schema.json: Helm rejects a wrong value before it applies anything. */
export function valuesSchema(): string {
  const docs = propDocs();
  const properties = Object.entries(VALUES).map(([name, { default: value, schema, note }]) => [
    name,
    { description: docs.get(name) ?? note, ...(isEmpty(value) ? orNull(schema) : schema) },
  ]);
  const schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Values of the flipop chart",
    type: "object",
    // Helm itself adds `global`.
    properties: { ...Object.fromEntries(properties), global: { type: "object" } },
    additionalProperties: false,
    // `--set NAME=null` removes a value, default included.
    required: Object.keys(VALUES).filter((name) => !isEmpty(VALUES[name as keyof typeof VALUES].default)),
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

/** Null means the same as such a default. */
function isEmpty(value: unknown): boolean {
  return value === false || value === "" || (typeof value === "object" && Object.keys(value ?? {}).length === 0);
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: words } = schema;
  if (Array.isArray(words)) return { ...schema, enum: [...words, null] };
  return { ...schema, type: [type, "null"].flat() as string[] };
}

function comment(text: string): string {
  const lines: string[] = [];
  let line = "#";
  for (const word of text.split(/\s+/)) {
    if (line.length + 1 + word.length > COMMENT_WIDTH) {
      lines.push(line);
      line = "#";
    }
    line += ` ${word}`;
  }
  return `${[...lines, line].join("\n")}\n`;
}
