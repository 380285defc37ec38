import { conflict, forbidden } from "../api-status.js";
import { type Cluster, collectionOf } from "../cluster.js";
import { type ApiObject, type Env, type Metadata, timestamp } from "../objects.js";
import type { ResourceType } from "../resources/resource-type.js";
import { keyOf } from "../store/collection.js";
import type { DeleteOptions } from "./delete-options.js";
import { orderedMetadata } from "./read-metadata.js";

/** Finalizers by which the server itself holds an object. */
export const FOREGROUND_FINALIZER = "foregroundDeletion";
export const ORPHAN_FINALIZER = "orphan";

/** What came of a delete. */
export interface DeleteResult {
  readonly object: ApiObject;
  /** Whether it is gone; else it waits for finalizers, dependents or its grace period. */
  readonly gone: boolean;
  readonly warnings: readonly string[];
}

/** Deletes an object, or begins to; throws 403 and 409. */
export function remove(cluster: Cluster, type: ResourceType, object: ApiObject, options: DeleteOptions): DeleteResult {
  const { name } = object.metadata;
  const refusal = type.behaviour.undeletable?.(name);
  if (refusal !== undefined) throw forbidden(type, name, refusal);
  requirePreconditions(type, object, options);
  const warnings = orphanWarning(type, options);
  const marked = terminating(cluster, type, object, options);
  const gone = isDone(type, marked);
  if (options.dryRun) return { object: gone ? marked : object, gone, warnings };
  return { object: write(cluster, type, { object, marked, gone }), gone, warnings };
}

function requirePreconditions(type: ResourceType, { metadata }: ApiObject, options: DeleteOptions): void {
  // This refusal names the kind, not the plural.
  const subject = { ...type, plural: type.kind };
  if (options.uid !== undefined && options.uid !== metadata.uid) {
    const why = `the UID in the precondition (${options.uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw conflict(subject, metadata.name, why);
  }
  const { resourceVersion } = options;
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw conflict(subject, metadata.name, why);
  }
}

function orphanWarning({ orphansByDefault }: ResourceType, { propagationPolicy }: DeleteOptions): readonly string[] {
  if (!orphansByDefault || propagationPolicy) return [];
  return [
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
  ];
}

/** The object with the marks of its deletion. */
function terminating({ env }: Cluster, type: ResourceType, object: ApiObject, options: DeleteOptions): ApiObject {
  const { metadata } = object;
  const first = metadata.deletionTimestamp === undefined;
  const finalizers = finalizersFor(type, object, options);
  const marked = { ...metadata, ...endOf(env, type, object, options), finalizers };
  if (first && metadata.generation !== undefined) marked.generation = metadata.generation + 1;
  const next: ApiObject = { ...object, metadata: orderedMetadata(marked) };
  if (first) type.behaviour.terminating?.(next);
  return next;
}

/** When the object ends; nothing where that does not change. A grace period can be made shorter, not longer. */
function endOf(env: Env, type: ResourceType, object: ApiObject, options: DeleteOptions): Partial<Metadata> {
  const wanted = type.behaviour.gracePeriod?.(object, options.gracePeriodSeconds) ?? 0;
  const { deletionTimestamp, deletionGracePeriodSeconds: before = 0 } = object.metadata;
  const grace = deletionTimestamp === undefined ? wanted : Math.min(wanted, before);
  if (deletionTimestamp !== undefined && grace === before) return {};
  return { deletionTimestamp: timestamp(env.now() + grace * 1000), deletionGracePeriodSeconds: grace };
}

function finalizersFor({ orphansByDefault }: ResourceType, { metadata }: ApiObject, options: DeleteOptions): string[] {
  const policy = options.propagationPolicy ?? (orphansByDefault ? "Orphan" : undefined);
  const others = (metadata.finalizers ?? []).filter((one) => one !== FOREGROUND_FINALIZER && one !== ORPHAN_FINALIZER);
  if (policy === "Foreground") return [...others, FOREGROUND_FINALIZER];
  if (policy === "Orphan") return [...others, ORPHAN_FINALIZER];
  return policy === "Background" ? others : [...(metadata.finalizers ?? [])];
}

function isDone({ behaviour }: ResourceType, { metadata }: ApiObject): boolean {
  if (behaviour.removedByController) return false;
  return (metadata.finalizers ?? []).length === 0 && (metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

interface Marked {
  readonly object: ApiObject;
  readonly marked: ApiObject;
  readonly gone: boolean;
}

function write(cluster: Cluster, type: ResourceType, { object, marked, gone }: Marked): ApiObject {
  const collection = collectionOf(cluster, type);
  const isSame = JSON.stringify(marked.metadata) === JSON.stringify(object.metadata);
  if (!gone) return isSame ? object : collection.put(marked);
  // A kind with grace periods is seen to terminate before it goes.
  const last = type.behaviour.gracePeriod && !isSame ? collection.put(marked) : object;
  collection.remove(keyOf(last));
  return type.deleteAnswersObject
    ? { ...last, metadata: { ...last.metadata, resourceVersion: String(cluster.store.revision) } }
    : last;
}
