import { Yaml } from "cdk8s";
import { propDocs } from "./prop-docs.js";
import { VALUES } from "./values.js";

const COMMENT_WIDTH = 100;

/** values.yaml: every value with its default, in the words of the prop. */
export function valuesYaml(): string {
  const docs = propDocs();
  const blocks = Object.entries(VALUES).map(([name, { default: value, note }]) => {
    const text = [docs.get(name), note].filter((part) => part !== undefined).join(" ");
    return `${comment(text)}${Yaml.stringify({ [name]: value })}`;
  });
  return blocks.join("\n");
}

/** values.schema.json: a wrong value is refused before anything is applied. */
export function valuesSchema(): string {
  const docs = propDocs();
  const properties = Object.entries(VALUES).map(([name, { schema }]) => [
    name,
    { description: docs.get(name), ...schema },
  ]);
  const schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Values of the flipop chart",
    type: "object",
    // Helm itself puts `global` there.
    properties: { ...Object.fromEntries(properties), global: { type: "object" } },
    additionalProperties: false,
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
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
