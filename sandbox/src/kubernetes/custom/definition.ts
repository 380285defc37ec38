import { type FieldError, invalidValue, requiredValue } from "../field-error.js";
import { at, isObject, listOf, objectOf, textOf } from "../json.js";
import type { ApiObject } from "../objects.js";
import { builtin, column, nameColumn } from "../resources/define-built-in.js";
import type { WriteContext } from "../resources/resource-type.js";
import { celProgram } from "./cel-program.js";
import { childPath, type Schema } from "./schema.js";

/** The finalizer that holds a definition until its resources are gone. */
export const CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

/** CustomResourceDefinitions. controllers/custom-resources begins and ends the serving of their kinds. */
export const customResourceDefinitions = builtin({
  group: "apiextensions.k8s.io",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
  shortNames: ["crd", "crds"],
  categories: ["api-extensions"],
  subresources: ["status"],
  unconditionalUpdate: false,
  generation: true,
  behaviour: { prepare, validate: (definition) => ({ errors: errors(definition), warnings: [] }) },
  allColumns: [nameColumn, { ...column("Created At", ({ metadata }) => metadata.creationTimestamp), type: "date" }],
});

function prepare(definition: ApiObject, { old, subresource }: WriteContext): void {
  if (old && subresource === "status") {
    definition.spec = old.spec;
    return;
  }
  const spec = objectOf(definition.spec);
  const names = objectOf(spec.names);
  const kind = textOf(names.kind);
  const full = {
    ...names,
    singular: textOf(names.singular) || kind.toLowerCase(),
    listKind: textOf(names.listKind) || `${kind}List`,
  };
  definition.spec = { conversion: { strategy: "None" }, ...spec, names: full };
  const stored = listOf(spec.versions).filter((version) => at(version, "storage") === true);
  definition.status = old?.status ?? { storedVersions: stored.map((version) => textOf(at(version, "name"))) };
}

function errors(definition: ApiObject): FieldError[] {
  const { group, scope, names, versions } = objectOf(definition.spec);
  const plural = textOf(at(names, "plural"));
  const found: FieldError[] = [];
  if (definition.metadata.name !== `${plural}.${textOf(group)}`) {
    found.push(invalidValue("metadata.name", definition.metadata.name, 'must be spec.names.plural+"."+spec.group'));
  }
  if (textOf(group) === "") found.push(requiredValue("spec.group"));
  if (textOf(scope) === "") found.push(requiredValue("spec.scope"));
  if (plural === "") found.push(requiredValue("spec.names.plural"));
  if (textOf(at(names, "kind")) === "") found.push(requiredValue("spec.names.kind"));
  if (listOf(versions).filter((version) => at(version, "storage") === true).length !== 1) {
    found.push(invalidValue("spec.versions", null, "must have exactly one version marked as storage version"));
  }
  return [...found, ...listOf(versions).flatMap(versionErrors)];
}

function versionErrors(version: unknown, index: number): FieldError[] {
  const schema = at(version, "schema", "openAPIV3Schema");
  const path = `spec.versions[${index}].schema.openAPIV3Schema`;
  return isObject(schema) ? ruleErrors(schema, path) : [requiredValue(path, "schemas are required")];
}

/** Rules that do not parse. */
function ruleErrors(schema: Schema, path: string): FieldError[] {
  const own = (schema["x-kubernetes-validations"] ?? []).flatMap(({ rule, messageExpression }, index) => {
    const at = childPath(path, `x-kubernetes-validations[${index}]`);
    const message = messageExpression === undefined ? [] : parseErrors(messageExpression, `${at}.messageExpression`);
    return [...parseErrors(rule, `${at}.rule`), ...message];
  });
  const properties = Object.entries(schema.properties ?? {});
  const inside = properties.flatMap(([name, inner]) => ruleErrors(inner, `${path}.properties[${name}]`));
  const items = schema.items ? ruleErrors(schema.items, `${path}.items`) : [];
  return [...own, ...inside, ...items];
}

function parseErrors(expression: string, path: string): FieldError[] {
  try {
    celProgram(expression);
    return [];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [invalidValue(path, expression, `compilation failed: ${why}`)];
  }
}
