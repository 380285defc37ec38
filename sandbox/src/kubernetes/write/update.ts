import { badRequest, conflict, internalError, modified, notFound } from "../api-status.js";
import { type Cluster, collectionOf } from "../cluster.js";
import { contentChanged } from "../custom/custom-resource.js";
import { invalid, invalidValue } from "../field-error.js";
import { equal, type JsonObject } from "../json.js";
import type { ApiObject, Metadata } from "../objects.js";
import { type Findings, type ResourceType, wireForm } from "../resources/resource-type.js";
import { keyOf, objectKey } from "../store/collection.js";
import { create, type WriteResult } from "./create.js";
import { updateErrors } from "./metadata-rules.js";
import { readObject } from "./read-body.js";
import { orderedMetadata } from "./read-metadata.js";
import { unknownFieldWarnings, type WriteOptions } from "./write-options.js";

/** Which object is to be changed. */
export interface UpdateTarget {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly subresource: "status" | undefined;
}

/** Makes a patched body from the object's wire form. */
export type Patch = (current: JsonObject) => JsonObject;

/** The object that a target names; throws 404. */
export function existing(cluster: Cluster, { type, namespace, name }: Omit<UpdateTarget, "subresource">): ApiObject {
  const found = collectionOf(cluster, type).get(objectKey(namespace, name));
  if (!found) throw notFound(type, name);
  return found;
}

/** Replaces an object, or its status, by a parsed body. */
export function replace(cluster: Cluster, target: UpdateTarget, body: JsonObject, options: WriteOptions): WriteResult {
  const { type, namespace, name } = target;
  const given = (body.metadata ?? {}) as Partial<Metadata>;
  requireNames(given, target);
  if (type.createOnUpdate && !collectionOf(cluster, type).get(objectKey(namespace, name))) {
    const { resourceVersion: _rv, ...metadata } = given;
    return create(cluster, target, { ...body, metadata }, options);
  }
  const old = existing(cluster, target);
  requireVersion(type, given, old);
  if (given.uid && given.uid !== old.metadata.uid) throw uidConflict(type, given.uid, old);
  return change(cluster, target, { old, body, request: "object" }, options);
}

/** Patches an object, or its status. */
export function patch(cluster: Cluster, target: UpdateTarget, apply: Patch, options: WriteOptions): WriteResult {
  const old = existing(cluster, target);
  // The wire form is shared with readers: the patch and what follows work on a copy.
  const body = apply(structuredClone(wireForm(target.type, old)));
  const given = (body.metadata ?? {}) as Partial<Metadata>;
  requireNames(given, target);
  requireVersion(target.type, { resourceVersion: old.metadata.resourceVersion ?? "", ...given }, old);
  return change(cluster, target, { old, body, request: "patch" }, options);
}

function requireNames(given: Partial<Metadata>, { name, namespace }: UpdateTarget): void {
  if (!given.name)
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (given.name !== name) {
    throw badRequest(`the name of the object (${given.name}) does not match the name on the URL (${name})`);
  }
  if (given.namespace && given.namespace !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

function requireVersion(type: ResourceType, { resourceVersion }: Partial<Metadata>, old: ApiObject): void {
  if (!resourceVersion) {
    if (type.unconditionalUpdate) return;
    const missing = invalidValue("metadata.resourceVersion", 0, "must be specified for an update");
    throw invalid({ group: type.group, kind: type.plural }, old.metadata.name, [missing]);
  }
  if (!/^\d+$/.test(resourceVersion)) {
    throw internalError(`strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`);
  }
  if (resourceVersion !== old.metadata.resourceVersion) throw modified(type, old.metadata.name);
}

function uidConflict(type: ResourceType, wanted: string, { metadata }: ApiObject) {
  return conflict(
    type,
    metadata.name,
    `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${metadata.uid}`,
  );
}

interface ChangeRequest {
  readonly old: ApiObject;
  readonly body: JsonObject;
  readonly request: "object" | "patch";
}

function change(cluster: Cluster, target: UpdateTarget, request: ChangeRequest, options: WriteOptions): WriteResult {
  const { type, subresource } = target;
  const { old, body } = request;
  const { object, unknown } = readObject(type, body);
  const warnings = unknownFieldWarnings(type, unknown, options, request.request);
  const given = object.metadata;
  object.metadata = carriedOver(given, old.metadata);
  const next = managed(prepared(cluster, target, object, old), options);
  const findings = check(cluster, { type, subresource, given }, next, old);
  if (findings.errors.length > 0) throw invalid({ ...subject(type, next) }, old.metadata.name, findings.errors);
  return {
    code: 200,
    object: store(cluster, type, next, { old, options }),
    warnings: [...warnings, ...findings.warnings],
  };
}

function subject(type: ResourceType, { kind, apiVersion }: ApiObject) {
  if (!type.custom) return type;
  // A wrong kind or version is named as it was given.
  return { kind, group: apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.lastIndexOf("/")) : "" };
}

/** The writer's labels, annotations, owners and finalizers; everything else as it was. */
function carriedOver(given: Metadata, old: Metadata): Metadata {
  const { labels: _l, annotations: _a, ownerReferences: _o, finalizers: _f, ...fixed } = old;
  const { labels, annotations, ownerReferences, finalizers } = given;
  return {
    ...fixed,
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(ownerReferences && { ownerReferences }),
    ...(finalizers && { finalizers }),
  };
}

function prepared({ env }: Cluster, { type, subresource }: UpdateTarget, object: ApiObject, old: ApiObject): ApiObject {
  type.behaviour.prepare?.(object, { env, old, subresource });
  const { kind, apiVersion, metadata, ...rest } = object;
  const grown = type.generation && contentChanged(object, old, type.subresources.includes("status"));
  const generation = { generation: (old.metadata.generation ?? 0) + 1 };
  return { kind, apiVersion, metadata: orderedMetadata({ ...metadata, ...(grown && generation) }), ...rest };
}

function managed(object: ApiObject, { managedFields }: WriteOptions): ApiObject {
  if (managedFields === undefined) return object;
  const { managedFields: _former, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, ...(managedFields.length > 0 && { managedFields }) } };
}

interface CheckPlace {
  readonly type: ResourceType;
  readonly subresource: "status" | undefined;
  /** Metadata as the writer gave it. */
  readonly given: Metadata;
}

function check({ env }: Cluster, { type, subresource, given }: CheckPlace, next: ApiObject, old: ApiObject): Findings {
  // A status write of a custom resource can't touch metadata, so nothing in it can be wrong.
  const metadata = type.custom && subresource ? [] : updateErrors(next.metadata, given, old.metadata);
  const found = type.behaviour.validate?.(next, { env, old, subresource }) ?? { errors: [], warnings: [] };
  return { errors: [...metadata, ...found.errors], warnings: found.warnings };
}

interface StoreRequest {
  readonly old: ApiObject;
  readonly options: WriteOptions;
}

/** Nothing is written where nothing changed. Without finalizers a deleted object goes. */
function store(cluster: Cluster, type: ResourceType, next: ApiObject, { old, options }: StoreRequest): ApiObject {
  if (equal(next, old)) return old;
  if (options.dryRun) return next;
  const collection = collectionOf(cluster, type);
  if (!isDone(type, next)) return collection.put(next);
  collection.remove(keyOf(next));
  return next;
}

function isDone({ behaviour }: ResourceType, { metadata }: ApiObject): boolean {
  const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds = 0 } = metadata;
  if (deletionTimestamp === undefined || behaviour.removedByController) return false;
  return finalizers.length === 0 && deletionGracePeriodSeconds === 0;
}
