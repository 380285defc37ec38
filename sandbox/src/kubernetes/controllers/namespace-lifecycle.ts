import { type Cluster, collectionOf } from "../cluster.js";
import { type ApiObject, groupOf } from "../objects.js";
import { namespaces } from "../resources/namespace.js";
import { remove } from "../write/delete.js";
import type { Reaction } from "./write-reactions.js";

/** Empties a namespace that is being deleted, and removes it when nothing is left in it. */
export const namespaceLifecycle: Reaction = (cluster, { type, object }, collection) => {
  const all = collectionOf(cluster, namespaces);
  if (collection === all && type !== "DELETED") {
    if (object.metadata.deletionTimestamp !== undefined) empty(cluster, object.metadata.name);
  } else if (object.metadata.namespace !== undefined && type === "DELETED") {
    const namespace = all.get(object.metadata.namespace);
    if (namespace?.metadata.deletionTimestamp !== undefined) finish(cluster, object.metadata.namespace);
  }
};

function empty(cluster: Cluster, namespace: string): void {
  for (const object of contentOf(cluster, namespace)) {
    const type = cluster.registry.findKind(groupOf(object.apiVersion), object.kind);
    const policy = { dryRun: false, propagationPolicy: "Background" } as const;
    if (type && object.metadata.deletionTimestamp === undefined) remove(cluster, type, object, policy);
  }
  finish(cluster, namespace);
}

function finish(cluster: Cluster, namespace: string): void {
  if (contentOf(cluster, namespace).length === 0) collectionOf(cluster, namespaces).remove(namespace);
}

function contentOf({ store }: Cluster, namespace: string): readonly ApiObject[] {
  return store.all().flatMap((one) => one.list().filter((object) => object.metadata.namespace === namespace));
}
