import {
  ALL_KINDS,
  type AnyKind,
  type AnySchema,
  API_GROUP,
  API_VERSION,
  CATEGORY,
  CONDITION_TYPES,
} from "cdk8s-flipop/api";
import { stringify } from "yaml";
import { exampleOf } from "./example.js";
import { escapeCell } from "./markdown.js";

/** The page on all kinds: each field with type, default, meaning and example. */
export function resourcesPage(): string {
  const intro = [
    "# Resources",
    "",
    "<!-- Generated from constructs/src/api by `npm run reference`; edit the schemas there. -->",
    "",
    `Group \`${API_GROUP}\`, version \`${API_VERSION}\`, Kubernetes 1.31 or newer. \`kubectl get ${CATEGORY}\` lists the`,
    "resources of all kinds, and `kubectl explain` shows the same text as this page. A field is optional unless",
    "marked *required*. Only the operator writes status; its conditions have the shape of `metav1.Condition`:",
    "type, status (True, False, Unknown), reason, message, lastTransitionTime and observedGeneration.",
    "[conditions.md](conditions.md) explains each reason and what to do about it.",
    "",
  ];
  const contents = ALL_KINDS.map(({ kind, description }) => `- [${kind}](#${kind.toLowerCase()}): ${description}`);
  return [...intro, ...contents, "", ...ALL_KINDS.flatMap(kindSection)].join("\n");
}

function kindSection(kind: AnyKind): readonly string[] {
  const scope = kind.scope === "Namespaced" ? "namespaced" : "cluster-scoped";
  return [
    `## ${kind.kind}`,
    "",
    kind.description,
    "",
    `Plural \`${kind.plural}\`, short name ${kind.shortNames.map((name) => `\`${name}\``).join(", ")}, ${scope}.`,
    "",
    "```yaml",
    stringify(exampleManifest(kind)).trimEnd(),
    "```",
    "",
    "### Spec",
    "",
    ...fieldTable("", kind.spec),
    ...ruleList(kind.spec),
    "### Status",
    "",
    ...statusTable(kind.status),
    ...conditionList(kind),
  ];
}

function exampleManifest({ kind, spec }: AnyKind): unknown {
  return { apiVersion: `${API_GROUP}/${API_VERSION}`, kind, metadata: { name: "example" }, spec: exampleOf(spec) };
}

/** Its fields, and those of the objects in it. */
export function fieldTable(prefix: string, schema: AnySchema): readonly string[] {
  const rows = fieldRows(prefix, schema);
  return ["| field | type | default | meaning | example |", "| --- | --- | --- | --- | --- |", ...rows, ""];
}

/**
 * Status has no examples, because only the operator writes it. The top of the page describes the fields of a condition
 * once.
 */
function statusTable(schema: AnySchema): readonly string[] {
  const rows = fieldRows("", schema).filter((row) => !row.startsWith("| `conditions[]."));
  const cells = rows.map((row) => `${row.slice(0, row.lastIndexOf(" | "))} |`);
  return ["| field | type | default | meaning |", "| --- | --- | --- | --- |", ...cells, ""];
}

function conditionList({ conditions }: AnyKind): readonly string[] {
  return ["Conditions:", "", ...conditions.map((type) => `- \`${type}\`: ${CONDITION_TYPES[type]}`), ""];
}

function fieldRows(prefix: string, schema: AnySchema): readonly string[] {
  if (schema.type !== "object") return [];
  return Object.entries(schema.properties).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const meaning = `${property.optional ? "" : "*required.* "}${property.description}`;
    const cells = [`\`${path}\``, typeText(property), defaultText(property), meaning, exampleText(property)];
    return [`| ${cells.map(escapeCell).join(" | ")} |`, ...nestedRows(path, property)];
  });
}

function nestedRows(path: string, schema: AnySchema): readonly string[] {
  if (schema.type === "object") return fieldRows(`${path}.`, schema);
  if (schema.type === "array") return fieldRows(`${path}[].`, schema.items);
  return schema.type === "map" ? fieldRows(`${path}.KEY.`, schema.values) : [];
}

function typeText(schema: AnySchema): string {
  switch (schema.type) {
    case "array":
      return `list of ${typeText(schema.items)}, at most ${schema.maxItems}`;
    case "map":
      return `map of ${typeText(schema.values)}`;
    case "open":
      return "object of any content";
    case "string":
      return stringType(schema.enum ? Object.keys(schema.enum) : [], schema.format);
    case "integer":
    case "number":
      return `${schema.type}${rangeText(schema.minimum, schema.maximum)}`;
    default:
      return schema.type;
  }
}

function stringType(choices: readonly string[], format: string | undefined): string {
  if (choices.length > 0)
    return choices
      .filter((choice) => choice !== "")
      .map((choice) => `\`${choice}\``)
      .join(", ");
  return format === "date-time" ? "time (RFC 3339)" : "string";
}

function rangeText(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum !== undefined && maximum !== undefined) return `, ${minimum} to ${maximum}`;
  return minimum === undefined ? "" : `, at least ${minimum}`;
}

function defaultText(schema: AnySchema): string {
  const value = "default" in schema ? schema.default : undefined;
  return value === undefined ? "" : `\`${String(value)}\``;
}

function exampleText(schema: AnySchema): string {
  if (schema.type === "object" || schema.type === "map") return "";
  return `\`${JSON.stringify(exampleOf(schema))}\``;
}

function ruleList(schema: AnySchema): readonly string[] {
  const messages = rulesWithin(schema).map((message) => `- ${message}`);
  if (messages.length === 0) return [];
  return [
    "The API server rejects a spec with these messages (some with the actual value):",
    "",
    ...new Set(messages),
    "",
  ];
}

function rulesWithin(schema: AnySchema): readonly string[] {
  const own = (schema.rules ?? []).flatMap(({ message, otherMessages = [] }) => [message ?? [], otherMessages].flat());
  if (schema.type === "object") return [...own, ...Object.values(schema.properties).flatMap(rulesWithin)];
  return schema.type === "array" ? [...own, ...rulesWithin(schema.items)] : own;
}
