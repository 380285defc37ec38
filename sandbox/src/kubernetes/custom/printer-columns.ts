import { at, listOf, textOf } from "../json.js";
import { age } from "../output/age.js";
import type { Column } from "../output/column.js";
import { jsonPath } from "../output/json-path.js";

const TYPES = ["string", "integer", "number", "boolean", "date"] as const;

/** The columns of a version of a CustomResourceDefinition; without any: the age. */
export function printerColumns(version: Readonly<Record<string, unknown>>): readonly Column[] {
  const given = listOf(version.additionalPrinterColumns);
  return given.length === 0 ? [AGE] : given.map(printerColumn);
}

function printerColumn(definition: unknown): Column {
  const path = textOf(at(definition, "jsonPath"));
  const type = TYPES.find((one) => one === at(definition, "type")) ?? "string";
  const priority = at(definition, "priority");
  const find = jsonPath(path);
  return {
    name: textOf(at(definition, "name")),
    type,
    description:
      textOf(at(definition, "description")) || `Custom resource definition column (in JSONPath format): ${path}`,
    priority: typeof priority === "number" ? priority : 0,
    cell: (object, now) => cell(type, find(object), now),
  };
}

const AGE: Column = printerColumn({ name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" });

/** Of several values the first; nothing found is null, which kubectl shows as nothing. */
function cell(type: Column["type"], found: readonly unknown[], now: number): unknown {
  const [first] = found;
  if (first === undefined || first === null) return null;
  if (type === "date") return age(first, now);
  return type === "string" ? asText(first) : first;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
