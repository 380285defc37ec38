import { conflict, methodNotAllowed } from "./api-status.js";
import { bodyText } from "./body-text.js";
import { collectionOf } from "./cluster.js";
import { at, objectOf, textOf } from "./json.js";
import { jsonReply, type Reply } from "./reply.js";
import { type ResourceCall, scopeOf } from "./resource-call.js";
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
    const before = textOf(at(pod, "spec", "nodeName"));
    if (before !== "") throw conflict(type, name, `pod ${name} is already assigned to node "${before}"`);
    const spec = { ...objectOf(pod.spec), nodeName: textOf(at(body, "target", "name")) };
    collectionOf(cluster, type).put({ ...pod, spec });
  }
  return jsonReply({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 }, { code: 201 });
}
