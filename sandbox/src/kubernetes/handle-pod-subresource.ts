import { conflict, methodNotAllowed } from "./api-status.js";
import { bodyText } from "./body-text.js";
import { type Cluster, collectionOf } from "./cluster.js";
import { at, objectOf, textOf } from "./json.js";
import type { ApiObject } from "./objects.js";
import { jsonReply, type Reply } from "./reply.js";
import { type ResourceCall, scopeOf } from "./resource-call.js";
import type { ResourceType } from "./resources/resource-type.js";
import { remove } from "./write/delete.js";
import { readDeleteOptions } from "./write/delete-options.js";
import { parseJson } from "./write/read-body.js";
import { existing } from "./write/update.js";

/** Answers POST pods/NAME/eviction (a delete; no budget stands in its way) and pods/NAME/binding. */
export function handlePodAction(call: ResourceCall, subresource: string, name: string): Reply {
  const { cluster, type, target, request } = call;
  if (target.verb !== "create") throw methodNotAllowed();
  const pod = existing(cluster, { type, namespace: scopeOf(type, target), name });
  const body = objectOf(parseJson(bodyText(request), (why) => `the object provided is unrecognized: ${why}`));
  if (subresource === "eviction") {
    const options = readDeleteOptions(request.query, JSON.stringify(objectOf(body.deleteOptions)));
    remove(cluster, type, pod, options);
  } else {
    bind(cluster, type, pod, textOf(at(body, "target", "name")));
  }
  return jsonReply({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 }, { code: 201 });
}

/** Gives a pod its node, which it keeps; throws 409 if it has one. */
export function bind(cluster: Cluster, type: ResourceType, pod: ApiObject, nodeName: string): void {
  const { name } = pod.metadata;
  const before = textOf(at(pod, "spec", "nodeName"));
  if (before !== "") throw conflict(type, name, `pod ${name} is already assigned to node "${before}"`);
  collectionOf(cluster, type).put({ ...pod, spec: { ...objectOf(pod.spec), nodeName } });
}
