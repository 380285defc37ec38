import { badRequest } from "../api-status.js";
import { isObject, type JsonObject, typeName } from "../json.js";
import type { Metadata, OwnerReference } from "../objects.js";

type Shape = "string" | "integer" | "texts" | "list";

/** Fields that metadata can have, with their shape. `managedFields` are read and dropped: only apply sets them. */
const FIELDS: Readonly<Record<string, Shape | "dropped">> = {
  name: "string",
  generateName: "string",
  namespace: "string",
  uid: "string",
  resourceVersion: "string",
  generation: "integer",
  creationTimestamp: "string",
  deletionTimestamp: "string",
  deletionGracePeriodSeconds: "integer",
  labels: "texts",
  annotations: "texts",
  ownerReferences: "list",
  finalizers: "list",
  selfLink: "dropped",
  managedFields: "dropped",
};

/** Metadata as read from a body, and the paths of fields that are not known. Absent texts are "". */
export interface ReadMetadata {
  readonly metadata: Metadata;
  readonly unknown: readonly string[];
}

/** Reads metadata; throws 400 where a field has the wrong type. */
export function readMetadata(value: unknown, kind: string, version: string): ReadMetadata {
  const given = value === undefined || value === null ? {} : value;
  if (!isObject(given)) throw wrongShape(kind, version, value, "metadata of type v1.ObjectMeta");
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(FIELDS, name));
  const read: JsonObject = {};
  for (const [name, shape] of Object.entries(FIELDS)) {
    const field = given[name];
    if (field === undefined || field === null || shape === "dropped") continue;
    read[name] = readField(field, shape, { kind, version, name });
  }
  const metadata: Metadata = { ...(read as Partial<Metadata>), ...requiredTexts(read) };
  return { metadata, unknown: unknown.map((name) => `metadata.${name}`) };
}

function requiredTexts(read: JsonObject) {
  const { name = "", uid = "", creationTimestamp = "" } = read as Partial<Metadata>;
  return { name, uid, creationTimestamp };
}

interface FieldPlace {
  readonly kind: string;
  readonly version: string;
  readonly name: string;
}

function readField(value: unknown, shape: Shape, place: FieldPlace): unknown {
  const field = `ObjectMeta.${place.name}`;
  if (shape === "texts") return readTexts(value, field, place);
  const fits = shape === "list" ? Array.isArray(value) : typeName(value) === shape;
  if (fits) return value;
  throw wrongShape(place.kind, place.version, value, `${field} of type ${shape === "integer" ? "int64" : shape}`);
}

function readTexts(value: unknown, field: string, { kind, version }: FieldPlace): unknown {
  if (!isObject(value)) throw wrongShape(kind, version, value, `${field} of type map[string]string`);
  for (const [key, text] of Object.entries(value)) {
    if (text === null) value[key] = "";
    else if (typeof text !== "string") throw wrongShape(kind, version, text, `${field} of type string`);
  }
  return value;
}

function wrongShape(kind: string, version: string, value: unknown, target: string) {
  const seen = typeName(value).replace("integer", "number");
  const why = `json: cannot unmarshal ${seen} into Go struct field ${target}`;
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);
}

/** Metadata in the order of Go's encoding, without what is empty. */
export function orderedMetadata(metadata: Metadata): Metadata {
  const { labels, annotations, ownerReferences, finalizers, namespace, generateName, ...rest } = metadata;
  const { name, uid, resourceVersion, generation, creationTimestamp, ...deletion } = rest;
  return {
    name,
    ...(generateName && { generateName }),
    ...(namespace && { namespace }),
    uid,
    ...(resourceVersion && { resourceVersion }),
    ...(generation && { generation }),
    creationTimestamp,
    ...deletion,
    ...(filled(labels) && { labels }),
    ...(filled(annotations) && { annotations }),
    ...(filled(ownerReferences) && { ownerReferences }),
    ...(filled(finalizers) && { finalizers }),
  };
}

function filled(value: object | undefined): boolean {
  return value !== undefined && Object.keys(value).length > 0;
}

/** Owners of an object. */
export function ownersOf({ ownerReferences = [] }: Metadata): readonly OwnerReference[] {
  return ownerReferences;
}
