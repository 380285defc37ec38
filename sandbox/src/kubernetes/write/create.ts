import { alreadyExists, badRequest, forbidden, internalError, notFound } from "../api-status.js";
import { type Cluster, collectionOf } from "../cluster.js";
import { type FieldError, invalid } from "../field-error.js";
import { at, defined, type JsonObject } from "../json.js";
import { type ApiObject, randomSuffix, randomUid, timestamp } from "../objects.js";
import { namespaces } from "../resources/namespace.js";
import type { Findings, ResourceType } from "../resources/resource-type.js";
import { keyOf } from "../store/collection.js";
import { createErrors } from "./metadata-rules.js";
import { readObject } from "./read-body.js";
import { orderedMetadata } from "./read-metadata.js";
import { unknownFieldWarnings, type WriteOptions } from "./write-options.js";

/** What came of a write. */
export interface WriteResult {
  readonly code: 200 | 201;
  /** The object as stored. */
  readonly object: ApiObject;
  readonly warnings: readonly string[];
}

/** Where an object is to be created. */
export interface CreateTarget {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
}

/** Creates an object from a parsed body; throws what the API server answers. */
export function create(cluster: Cluster, target: CreateTarget, body: JsonObject, options: WriteOptions): WriteResult {
  const { type, namespace } = target;
  const { object, unknown } = readObject(type, body);
  const warnings = unknownFieldWarnings(type, unknown, options, "object");
  if (object.metadata.resourceVersion)
    throw internalError("resourceVersion should not be set on objects to be created");
  placeInNamespace(object, namespace);
  requireNamespace(cluster, type, object);
  const prepared = fill(cluster, type, object);
  const findings = check(cluster, type, prepared);
  if (findings.errors.length > 0)
    throw invalid({ ...type, kind: prepared.kind }, prepared.metadata.name, findings.errors);
  return { code: 201, object: store(cluster, type, prepared, options), warnings: [...warnings, ...findings.warnings] };
}

function placeInNamespace({ metadata }: ApiObject, namespace: string | undefined): void {
  if (namespace === undefined) {
    delete metadata.namespace;
    return;
  }
  if (metadata.namespace && metadata.namespace !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  metadata.namespace = namespace;
}

function requireNamespace(cluster: Cluster, type: ResourceType, { metadata }: ApiObject): void {
  const { namespace } = metadata;
  if (namespace === undefined) return;
  const found = collectionOf(cluster, namespaces).get(namespace);
  if (!found) throw notFound(namespaces, namespace);
  if (at(found, "status", "phase") !== "Terminating") return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const message = `namespace ${namespace} is being terminated`;
  throw forbidden(type, metadata.name, why, [{ reason: "NamespaceTerminating", message, field: "metadata.namespace" }]);
}

/** What the server sets on a new object. */
function fill({ env }: Cluster, type: ResourceType, object: ApiObject): ApiObject {
  const { name, generateName, namespace, labels, annotations, ownerReferences, finalizers } = object.metadata;
  object.metadata = defined({
    name: name === "" && generateName ? generateName + randomSuffix(env) : name,
    generateName,
    namespace,
    uid: randomUid(env),
    generation: type.generation ? 1 : undefined,
    creationTimestamp: timestamp(env.now()),
    ...{ labels, annotations, ownerReferences, finalizers },
  });
  type.behaviour.prepare?.(object, { env, old: undefined, subresource: undefined });
  const { kind, apiVersion, metadata, ...rest } = object;
  return { kind, apiVersion, metadata: orderedMetadata(metadata), ...rest };
}

function check({ env }: Cluster, type: ResourceType, object: ApiObject): Findings {
  const metadata: readonly FieldError[] = createErrors(object.metadata, type.group);
  const { errors, warnings } = type.behaviour.validate?.(object, { env, old: undefined, subresource: undefined }) ?? {
    errors: [],
    warnings: [],
  };
  return { errors: [...metadata, ...errors], warnings };
}

function store(cluster: Cluster, type: ResourceType, object: ApiObject, { dryRun }: WriteOptions): ApiObject {
  const collection = collectionOf(cluster, type);
  const existing = collection.get(keyOf(object));
  if (existing) throw alreadyExists(type, object.metadata.name, existing.metadata.deletionTimestamp !== undefined);
  return dryRun ? object : collection.put(object);
}
