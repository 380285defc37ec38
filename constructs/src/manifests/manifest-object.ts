import { Annotation, API_GROUP } from "../api/names";
import { isObject, type JsonObject } from "../api/schema/schema";

/** An object of a manifest. */
export interface ManifestObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMetadata;
  readonly [field: string]: unknown;
}

/** The metadata that people write. */
export interface ObjectMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly [field: string]: unknown;
}

/** Metadata that the API server and controllers write. */
const SERVER_METADATA = [
  "creationTimestamp",
  "deletionGracePeriodSeconds",
  "deletionTimestamp",
  "generation",
  "managedFields",
  "ownerReferences",
  "resourceVersion",
  "selfLink",
  "uid",
];
/** The last two are copies of the status, and true only for the object that the operator wrote them to. */
const SERVER_ANNOTATIONS: readonly string[] = [
  "kubectl.kubernetes.io/last-applied-configuration",
  Annotation.createdIps,
  Annotation.pendingCreation,
];

/** The part of an object that people write: without null fields, status, and what the API server adds to metadata. */
export function written(object: JsonObject): JsonObject {
  const { status: _, metadata, ...fields } = object;
  return withoutNulls({ ...fields, ...(isObject(metadata) ? { metadata: writtenMetadata(metadata) } : { metadata }) });
}

/** An object's kind, namespace and name, for messages. */
export function titleOf({ kind, metadata }: Pick<ManifestObject, "kind" | "metadata">): string {
  return `${kind} ${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${metadata.name}`;
}

/** A field of metadata without which no construct can be made, and why. */
interface MetadataProblem {
  readonly path: string;
  readonly message: string;
}

/** What makes metadata unusable for a construct, which would throw. */
export function metadataProblems(metadata: unknown): readonly MetadataProblem[] {
  const { name, namespace = null, finalizers = null } = isObject(metadata) ? metadata : {};
  return [
    ...nameProblems(name ?? "", "metadata.name"),
    ...(namespace === null || namespace === "" ? [] : nameProblems(namespace, "metadata.namespace")),
    ...(finalizers === null || Array.isArray(finalizers)
      ? []
      : [
          {
            path: "metadata.finalizers",
            message: `${JSON.stringify(finalizers)} is not a list: write a list of texts`,
          },
        ]),
  ];
}

function nameProblems(name: unknown, path: string): readonly MetadataProblem[] {
  if (name === "") return [{ path, message: "is missing: give the object a name" }];
  if (typeof name === "string") return [];
  return [{ path, message: `${JSON.stringify(name)} is not text: write a name, in quotes if it looks like a number` }];
}

/** Whether an object is of one of the five kinds. */
export function isOurs(apiVersion: unknown): boolean {
  return typeof apiVersion === "string" && apiVersion.startsWith(`${API_GROUP}/`);
}

function writtenMetadata(metadata: JsonObject): JsonObject {
  const kept = Object.entries(metadata).filter(([field]) => !SERVER_METADATA.includes(field));
  const { annotations, labels, finalizers, namespace, ...others } = Object.fromEntries(kept);
  const notes = isObject(annotations)
    ? Object.fromEntries(Object.entries(annotations).filter(([key]) => !SERVER_ANNOTATIONS.includes(key)))
    : annotations;
  const locks = Array.isArray(finalizers)
    ? finalizers.filter((finalizer) => !String(finalizer).startsWith(`${API_GROUP}/`))
    : finalizers;
  // For the API server, an empty namespace is none.
  const place = namespace === "" || namespace === undefined ? {} : { namespace };
  return { ...others, ...place, ...filled({ labels, annotations: notes, finalizers: locks }) };
}

/** Without empty lists and maps, which mean the same as none. */
function filled(fields: JsonObject): JsonObject {
  const isEmpty = (value: unknown): boolean => typeof value === "object" && Object.keys(value ?? {}).length === 0;
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && !isEmpty(value)));
}

function withoutNulls(object: JsonObject): JsonObject {
  const clean = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(clean);
    return isObject(value) ? withoutNulls(value) : value;
  };
  const kept = Object.entries(object).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(kept.map(([key, value]) => [key, clean(value)]));
}
