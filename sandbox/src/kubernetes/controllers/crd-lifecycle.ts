import { type Cluster, collectionOf } from "../cluster.js";
import { customResources } from "../custom/custom-resource.js";
import { CLEANUP_FINALIZER, customResourceDefinitions } from "../custom/definition.js";
import { at, listOf, objectOf, textOf } from "../json.js";
import { type ApiObject, timestamp } from "../objects.js";
import { type Collection, keyOf } from "../store/collection.js";
import { remove } from "../write/delete.js";
import { orderedMetadata } from "../write/read-metadata.js";
import type { Reaction } from "./write-reactions.js";

/** Serves the kinds of CustomResourceDefinitions from the moment they are there until the last of their objects is gone. */
export const customResourceLifecycle: Reaction = (cluster, { type, object }, collection) => {
  const definitions = collectionOf(cluster, customResourceDefinitions);
  if (collection === definitions && type !== "DELETED") {
    if (object.metadata.deletionTimestamp === undefined) serve(cluster, object, definitions);
    else retire(cluster, object, definitions);
  } else if (type === "DELETED") {
    const owner = definitions
      .list()
      .find((definition) => storageOf(definition) === collectionName(cluster, collection));
    if (owner?.metadata.deletionTimestamp !== undefined) retire(cluster, owner, definitions);
  }
};

function serve(cluster: Cluster, definition: ApiObject, definitions: Collection): void {
  for (const type of customResources(definition)) {
    cluster.registry.add(type);
    // From now on there is a history to watch.
    collectionOf(cluster, type);
  }
  const established = listOf(at(definition, "status", "conditions")).some((one) => at(one, "type") === "Established");
  if (established) return;
  const finalizers = [...new Set([...(definition.metadata.finalizers ?? []), CLEANUP_FINALIZER])];
  definitions.put({
    ...definition,
    metadata: orderedMetadata({ ...definition.metadata, finalizers }),
    status: establishedStatus(definition, timestamp(cluster.env.now())),
  });
}

function establishedStatus(definition: ApiObject, lastTransitionTime: string) {
  const accepted = { status: "True", lastTransitionTime };
  return {
    ...objectOf(definition.status),
    conditions: [
      { type: "NamesAccepted", ...accepted, reason: "NoConflicts", message: "no conflicts found" },
      {
        type: "Established",
        ...accepted,
        reason: "InitialNamesAccepted",
        message: "the initial names have been accepted",
      },
    ],
    acceptedNames: at(definition, "spec", "names"),
  };
}

/** Deletes the objects of a definition; when the last is gone, the definition goes and its kind is no longer served. */
function retire(cluster: Cluster, definition: ApiObject, definitions: Collection): void {
  const storage = storageOf(definition);
  const [type] = customResources(definition);
  const objects = cluster.store.collection(storage);
  for (const object of objects.list()) {
    const waiting = object.metadata.deletionTimestamp !== undefined;
    if (type && !waiting) remove(cluster, type, object, { dryRun: false, propagationPolicy: "Background" });
  }
  if (objects.size > 0) return;
  cluster.registry.remove(textOf(at(definition, "spec", "group")), textOf(at(definition, "spec", "names", "plural")));
  cluster.store.drop(storage);
  const current = definitions.get(keyOf(definition));
  const others = (current?.metadata.finalizers ?? []).filter((one) => one !== CLEANUP_FINALIZER);
  if (others.length === 0) definitions.remove(keyOf(definition));
  else if (current)
    definitions.put({ ...current, metadata: orderedMetadata({ ...current.metadata, finalizers: others }) });
}

function storageOf(definition: ApiObject): string {
  return `${textOf(at(definition, "spec", "names", "plural"))}.${textOf(at(definition, "spec", "group"))}`;
}

function collectionName({ registry, store }: Cluster, collection: Collection): string | undefined {
  return registry.all().find((type) => type.custom && store.collection(type.storage) === collection)?.storage;
}
