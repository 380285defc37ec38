import { messageOfKind } from "../built-in/messages.js";
import { removeUnknown } from "../built-in/unknown-fields.js";
import { at, isObject, textOf } from "../json.js";
import type { ApiObject } from "../objects.js";
import { age } from "../output/age.js";
import type { Column } from "../output/column.js";
import type { Behaviour, ResourceType } from "./resource-type.js";

type Optional =
  | "group"
  | "shortNames"
  | "categories"
  | "subresources"
  | "unconditionalUpdate"
  | "createOnUpdate"
  | "generation"
  | "deleteAnswersObject"
  | "orphansByDefault"
  | "fields";

/** What the table says of a built-in resource; the rest follows from it. */
export type BuiltinSpec = Pick<ResourceType, "plural" | "kind"> &
  Partial<Pick<ResourceType, Optional>> & {
    /** @default true */
    readonly namespaced?: boolean;
    /** @default - the plural and group */
    readonly storage?: string;
    /** Columns beside Name and Age; the wide ones come last. @default - none */
    readonly columns?: readonly Column[];
    /** All columns, for a resource in whose table Name is not first or Age not last of those always shown. */
    readonly allColumns?: readonly Column[];
    readonly behaviour?: Behaviour;
  };

/** A built-in resource, version v1. */
export function builtin(spec: BuiltinSpec): ResourceType {
  const { plural, kind, group = "", namespaced = true, columns = [], allColumns, behaviour = {}, ...rest } = spec;
  return {
    version: "v1",
    group,
    plural,
    kind,
    namespaced,
    singular: kind.toLowerCase(),
    listKind: `${kind}List`,
    storage: `${plural}.${group}`,
    shortNames: [],
    categories: [],
    subresources: [],
    custom: false,
    unconditionalUpdate: true,
    createOnUpdate: false,
    generation: false,
    deleteAnswersObject: false,
    orphansByDefault: false,
    fields: {},
    ...rest,
    columns: allColumns ?? [
      nameColumn,
      ...columns.filter(atFront),
      ageColumn,
      ...columns.filter((one) => !atFront(one)),
    ],
    behaviour: { ...behaviour, normalise: (object) => normalise(object, behaviour) },
  };
}

/** The column of the name, first in most tables. */
export const nameColumn: Column = {
  name: "Name",
  type: "string",
  format: "name",
  description: "Name of the object.",
  cell: ({ metadata }) => metadata.name,
};

/** The column of the age. */
export const ageColumn: Column = {
  name: "Age",
  type: "string",
  description: "Time since the object was created.",
  cell: ({ metadata }, now) => age(metadata.creationTimestamp, now),
};

/** A column that shows text at a path, or the fallback. */
export function textColumn(name: string, path: readonly string[], fallback = ""): Column {
  return { name, type: "string", cell: (object) => textOf(at(object, ...path)) || fallback };
}

/** A column of any text. */
export function column(name: string, cell: (object: ApiObject, now: number) => unknown): Column {
  return { name, type: "string", cell };
}

/** The same column, shown by `-o wide` only. */
export function wide(one: Column): Column {
  return { ...one, priority: 1 };
}

// Age stands before the wide columns.
function atFront({ priority = 0 }: Column): boolean {
  return priority === 0;
}

function normalise(object: ApiObject, behaviour: Behaviour): readonly string[] {
  const unknown = [...unknownFields(object), ...(behaviour.normalise?.(object) ?? [])];
  dropEmpty(object);
  return unknown;
}

/** Metadata is read elsewhere. */
function unknownFields(object: ApiObject): readonly string[] {
  const message = messageOfKind(object.apiVersion, object.kind);
  if (message === undefined) return [];
  const { kind, apiVersion, metadata, ...rest } = object;
  const unknown = removeUnknown(rest, message, "");
  for (const name of unknown) delete object[name];
  return unknown;
}

/** Maps that Go's encoding leaves out when empty; an empty struct, such as `emptyDir: {}`, stays. */
const MAPS = new Set([
  "labels",
  "annotations",
  "nodeSelector",
  "data",
  "binaryData",
  "matchLabels",
  "limits",
  "requests",
]);

/** Leaves out what Go's encoding of the built-in types leaves out: null, empty lists, empty maps. */
function dropEmpty(value: unknown): void {
  if (Array.isArray(value)) for (const item of value) dropEmpty(item);
  if (!isObject(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    if (isEmpty(key, inner)) delete value[key];
    else dropEmpty(inner);
  }
}

function isEmpty(key: string, value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  return MAPS.has(key) && isObject(value) && Object.keys(value).length === 0;
}
