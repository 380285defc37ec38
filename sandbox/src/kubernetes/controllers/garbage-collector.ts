import type { Cluster } from "../cluster.js";
import { type ApiObject, groupOf } from "../objects.js";
import { keyOf } from "../store/collection.js";
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER, remove } from "../write/delete.js";
import { orderedMetadata, ownersOf } from "../write/read-metadata.js";
import { type Located, OwnerIndex } from "./owners.js";
import type { Reaction } from "./write-reactions.js";

/**
 * Deletes objects whose owners are gone, as the garbage collector of a cluster does: in the background after the
 * owner, in the foreground before it, or not at all where dependents are orphaned.
 */
export function garbageCollector(): Reaction {
  const index = new OwnerIndex();
  return (cluster, { type, object, previous }, collection) => {
    index.note(object, collection, type);
    if (type === "DELETED") {
      for (const dependent of index.dependentsOf(object.metadata.uid)) release(cluster, index, dependent);
      if (previous) for (const owner of ownersOf(previous.metadata)) finishOwner(cluster, index, owner.uid);
      return;
    }
    const place = { object, collection };
    if (object.metadata.deletionTimestamp !== undefined) finish(cluster, index, place);
    else if (ownersOf(object.metadata).length > 0) release(cluster, index, place);
    for (const owner of previous ? ownersOf(previous.metadata) : []) finishOwner(cluster, index, owner.uid);
  };
}

/** Deletes a dependent when none of its owners is left; else drops the owners that are gone. */
function release(cluster: Cluster, index: OwnerIndex, { object, collection }: Located): void {
  const current = collection.get(keyOf(object));
  if (!current || current.metadata.uid !== object.metadata.uid || current.metadata.deletionTimestamp !== undefined)
    return;
  const owners = ownersOf(current.metadata);
  const left = owners.filter(({ uid }) => index.exists(uid));
  if (left.length === owners.length) return;
  if (left.length === 0) deleteObject(cluster, current);
  else collection.put({ ...current, metadata: orderedMetadata({ ...current.metadata, ownerReferences: left }) });
}

function finishOwner(cluster: Cluster, index: OwnerIndex, uid: string): void {
  const owner = index.get(uid);
  if (owner && owner.object.metadata.deletionTimestamp !== undefined) finish(cluster, index, owner);
}

/** Does for an object under deletion what its policy asks for. */
function finish(cluster: Cluster, index: OwnerIndex, { object, collection }: Located): void {
  const current = collection.get(keyOf(object));
  if (!current || current.metadata.uid !== object.metadata.uid) return;
  const { finalizers = [], uid } = current.metadata;
  if (finalizers.includes(ORPHAN_FINALIZER)) {
    for (const dependent of index.dependentsOf(uid)) orphan(dependent, uid);
    dropFinalizer(current, collection, ORPHAN_FINALIZER);
  } else if (finalizers.includes(FOREGROUND_FINALIZER)) {
    deleteDependents(cluster, index.dependentsOf(uid));
    const blocked = index.dependentsOf(uid).some((dependent) => blocks(dependent, uid));
    if (!blocked) dropFinalizer(current, collection, FOREGROUND_FINALIZER);
  }
}

function deleteDependents(cluster: Cluster, dependents: readonly Located[]): void {
  for (const { object } of dependents) {
    if (object.metadata.deletionTimestamp === undefined) deleteObject(cluster, object);
  }
}

function blocks({ object, collection }: Located, owner: string): boolean {
  const current = collection.get(keyOf(object));
  if (!current || current.metadata.uid !== object.metadata.uid) return false;
  return ownersOf(current.metadata).some(({ uid, blockOwnerDeletion }) => uid === owner && blockOwnerDeletion === true);
}

function orphan({ object, collection }: Located, owner: string): void {
  const current = collection.get(keyOf(object));
  if (!current) return;
  const ownerReferences = ownersOf(current.metadata).filter(({ uid }) => uid !== owner);
  collection.put({ ...current, metadata: orderedMetadata({ ...current.metadata, ownerReferences }) });
}

function dropFinalizer(object: ApiObject, collection: Located["collection"], finalizer: string): void {
  const finalizers = (object.metadata.finalizers ?? []).filter((one) => one !== finalizer);
  if (finalizers.length === 0) collection.remove(keyOf(object));
  else collection.put({ ...object, metadata: orderedMetadata({ ...object.metadata, finalizers }) });
}

/** Deletes an object in the background, by the rules of its kind. */
function deleteObject(cluster: Cluster, object: ApiObject): void {
  const type = cluster.registry.findKind(groupOf(object.apiVersion), object.kind);
  if (type) remove(cluster, type, object, { dryRun: false, propagationPolicy: "Background" });
}
