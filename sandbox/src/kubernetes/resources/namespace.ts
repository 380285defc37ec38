import type { ApiObject } from "../objects.js";
import { builtin, textColumn } from "./define-built-in.js";
import type { WriteContext } from "./resource-type.js";

/** The namespaces that are always there. */
export const FIXED_NAMESPACES = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** Namespaces. What happens when one is deleted is in controllers/namespace-lifecycle. */
export const namespaces = builtin({
  plural: "namespaces",
  kind: "Namespace",
  namespaced: false,
  shortNames: ["ns"],
  subresources: ["status"],
  fields: { "status.phase": ({ status }) => (status as { phase: string }).phase },
  behaviour: {
    prepare,
    removedByController: true,
    terminating: (namespace) => {
      namespace.status = { phase: "Terminating" };
    },
    undeletable: (name) =>
      FIXED_NAMESPACES.slice(0, 3).includes(name) ? "this namespace may not be deleted" : undefined,
  },
  columns: [textColumn("Status", ["status", "phase"])],
});

function prepare(namespace: ApiObject, { old }: WriteContext): void {
  namespace.metadata.labels = { ...namespace.metadata.labels, "kubernetes.io/metadata.name": namespace.metadata.name };
  // Only the lifecycle takes this finalizer off.
  namespace.spec = old?.spec ?? { finalizers: ["kubernetes"] };
  namespace.status = old?.status ?? { phase: "Active" };
}
