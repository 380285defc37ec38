import { type FieldError, invalidValue } from "../field-error.js";
import { at, equal, isObject, listOf, objectOf, textOf } from "../json.js";
import { type ApiObject, apiVersionOf } from "../objects.js";
import { nameColumn } from "../resources/define-built-in.js";
import type { Behaviour, Findings, ResourceType, WriteContext } from "../resources/resource-type.js";
import { applyDefaults } from "./defaults.js";
import { printerColumns } from "./printer-columns.js";
import { prune } from "./prune.js";
import type { Schema } from "./schema.js";
import { validateRules } from "./validate-rules.js";
import { validateListTypes, validateSchema } from "./validate-schema.js";

/** The resources that a CustomResourceDefinition serves: one for each version. */
export function customResources(definition: ApiObject): readonly ResourceType[] {
  const versions = listOf(at(definition, "spec", "versions")).filter((version) => at(version, "served") === true);
  return versions.map((version) => customResource(objectOf(definition.spec), objectOf(version)));
}

function customResource(
  spec: Readonly<Record<string, unknown>>,
  version: Readonly<Record<string, unknown>>,
): ResourceType {
  const names = objectOf(spec.names);
  const [group, plural, kind] = [textOf(spec.group), textOf(names.plural), textOf(names.kind)];
  const schema = objectOf(at(version, "schema", "openAPIV3Schema"));
  const hasStatus = isObject(at(version, "subresources", "status"));
  const identity = { group, kind, version: textOf(version.name) };
  return {
    ...identity,
    plural,
    singular: textOf(names.singular),
    listKind: textOf(names.listKind),
    namespaced: spec.scope === "Namespaced",
    shortNames: listOf(names.shortNames).map(textOf),
    categories: listOf(names.categories).map(textOf),
    subresources: hasStatus ? ["status"] : [],
    storage: `${plural}.${group}`,
    custom: true,
    unconditionalUpdate: false,
    createOnUpdate: false,
    generation: true,
    deleteAnswersObject: false,
    orphansByDefault: false,
    fields: selectableFields(version),
    columns: [nameColumn, ...printerColumns(version)],
    behaviour: behaviour({ ...identity, schema, hasStatus }),
    schema,
  };
}

function selectableFields(version: Readonly<Record<string, unknown>>): ResourceType["fields"] {
  const paths = listOf(version.selectableFields).map((field) => textOf(at(field, "jsonPath")).replace(/^\./, ""));
  return Object.fromEntries(
    paths.map((path) => [path, (object: ApiObject) => String(at(object, ...path.split(".")) ?? "")]),
  );
}

interface CustomKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly schema: Schema;
  readonly hasStatus: boolean;
}

function behaviour(kind: CustomKind): Behaviour {
  return {
    normalise: (object) => normalise(object, kind.schema),
    prepare: (object, context) => prepare(object, context, kind),
    validate: (object, context) => validate(object, context, kind),
  };
}

/** kind, apiVersion and metadata are the server's business, not the schema's. */
function normalise(object: ApiObject, schema: Schema): readonly string[] {
  const { kind, apiVersion, metadata, ...rest } = object;
  const unknown = prune(rest, schema);
  applyDefaults(rest, schema);
  for (const field of Object.keys(object)) delete object[field];
  Object.assign(object, { kind, apiVersion, metadata }, rest);
  return unknown;
}

function prepare(
  object: ApiObject,
  { old, subresource }: WriteContext,
  { hasStatus, schema }: Pick<CustomKind, "hasStatus" | "schema">,
): void {
  if (!hasStatus) return;
  const status = subresource === "status" ? object.status : old?.status;
  if (subresource === "status" && old) {
    for (const field of Object.keys(object)) delete object[field];
    Object.assign(object, structuredClone(old));
  }
  delete object.status;
  if (status !== undefined) object.status = status;
  else defaultStatus(object, schema);
}

/** The server drops the status of a creation, and sets its defaults afterwards. */
function defaultStatus(object: ApiObject, { properties = {} }: Schema): void {
  const { status } = properties;
  if (status?.default === undefined) return;
  object.status = structuredClone(status.default);
  applyDefaults(object.status, status);
}

function validate(object: ApiObject, { old, subresource }: WriteContext, kind: CustomKind): Findings {
  const identity = identityErrors(object, kind);
  const found = [...identity, ...structureErrors(object, old, subresource, kind.schema)];
  if (found.some(isBlocking)) return { errors: [...found, NOT_ALL_CHECKED], warnings: [] };
  const rules = validateRules({ schema: kind.schema, path: "", value: object, old: old && { value: old } });
  return { errors: [...found, ...rules.errors], warnings: rules.warnings };
}

function identityErrors({ kind, apiVersion }: ApiObject, custom: CustomKind): FieldError[] {
  const found: FieldError[] = [];
  const wanted = apiVersionOf(custom);
  if (kind !== custom.kind) found.push(invalidValue("kind", kind, `must be ${custom.kind}`));
  if (apiVersion !== wanted) found.push(invalidValue("apiVersion", apiVersion, `must be ${wanted}`));
  return found;
}

function structureErrors(
  object: ApiObject,
  old: ApiObject | undefined,
  subresource: WriteContext["subresource"],
  schema: Schema,
): readonly FieldError[] {
  const { kind: _k, apiVersion: _a, metadata: _m, ...content } = object;
  const whole = { schema, path: "", name: "", value: content, old: old && { value: withoutIdentity(old) } };
  const status = schema.properties?.status;
  // A write of the status is checked from the status on, and messages name fields from there.
  const inside =
    subresource === "status" && status && object.status !== undefined
      ? validateSchema({ schema: status, path: "status", name: "", value: object.status, old: oldStatus(old) })
      : validateSchema(whole);
  return [...inside, ...validateListTypes(whole)];
}

function oldStatus(old: ApiObject | undefined) {
  return old && old.status !== undefined ? { value: old.status } : undefined;
}

function withoutIdentity({ kind: _k, apiVersion: _a, metadata: _m, ...content }: ApiObject): Record<string, unknown> {
  return content;
}

const BLOCKING = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

/** Rules are not run on values of the wrong shape. */
function isBlocking({ reason }: FieldError): boolean {
  return BLOCKING.has(reason);
}

/** Says that rules were not run. */
const NOT_ALL_CHECKED: FieldError = {
  reason: "FieldValueInvalid",
  field: undefined,
  detail:
    "Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
};

/** Whether a change is one that metadata.generation counts. */
export function contentChanged(object: ApiObject, old: ApiObject, hasStatus: boolean): boolean {
  const content = (one: ApiObject) => {
    const { metadata: _m, status, ...rest } = one;
    return hasStatus ? rest : { ...rest, status };
  };
  return !equal(content(object), content(old));
}
