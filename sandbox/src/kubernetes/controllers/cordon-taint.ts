import { collectionOf } from "../cluster.js";
import { at, type JsonObject, listOf, objectOf } from "../json.js";
import { nodes } from "../resources/node.js";
import type { Reaction } from "./write-reactions.js";

const CORDONED = "node.kubernetes.io/unschedulable";

/** A cordoned node has a taint, as the node controller of a real cluster sets and removes it. */
export const cordonTaint: Reaction = (cluster, { type, object }, collection) => {
  const all = collectionOf(cluster, nodes);
  if (collection !== all || type === "DELETED") return;
  const cordoned = at(object, "spec", "unschedulable") === true;
  const taints = listOf(at(object, "spec", "taints"));
  const others = taints.filter((taint) => at(taint, "key") !== CORDONED);
  if (cordoned === others.length < taints.length) return;
  const wanted = cordoned ? [...others, { key: CORDONED, effect: "NoSchedule" }] : others;
  all.put({ ...object, spec: withTaints(objectOf(object.spec), wanted) });
};

function withTaints({ taints: _old, ...spec }: JsonObject, taints: readonly unknown[]): JsonObject {
  return taints.length === 0 ? spec : { ...spec, taints };
}
