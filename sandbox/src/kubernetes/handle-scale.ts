import { badRequest, methodNotAllowed } from "./api-status.js";
import { bodyText } from "./body-text.js";
import { invalid, invalidValue } from "./field-error.js";
import { readPatch } from "./handle-patch.js";
import { at, isObject, type JsonObject, objectOf, textOf } from "./json.js";
import type { ApiObject } from "./objects.js";
import { jsonReply, type Reply } from "./reply.js";
import { type ResourceCall, scopeOf } from "./resource-call.js";
import { parseJson } from "./write/read-body.js";
import { existing, type Patch, patch } from "./write/update.js";
import { readWriteOptions } from "./write/write-options.js";

/** Answers GET, PUT and PATCH of WORKLOAD/NAME/scale: the number of its replicas, as `kubectl scale` reads and writes it. */
export function handleScale(call: ResourceCall, name: string): Reply {
  const { cluster, type, target, request } = call;
  const place = { type, namespace: scopeOf(type, target), name } as const;
  const { verb } = target;
  if (verb === "get") return jsonReply(scaleOf(existing(cluster, place)));
  if (verb !== "patch" && verb !== "update") throw methodNotAllowed();
  const edit = verb === "patch" ? readPatch(type, request) : replacement(bodyText(request));
  const options = readWriteOptions(request.query, verb === "patch" ? "PatchOptions" : "UpdateOptions");
  const { object } = patch(
    cluster,
    { ...place, subresource: undefined },
    (current) => {
      const { metadata, spec } = edit(scaleOf(current as unknown as ApiObject));
      const replicas = replicasOf(spec, name);
      const { resourceVersion } = objectOf(metadata);
      return {
        ...current,
        metadata: { ...objectOf(current.metadata), resourceVersion },
        spec: { ...objectOf(current.spec), replicas },
      };
    },
    options,
  );
  return jsonReply(scaleOf(object));
}

function replacement(text: string): Patch {
  const body = parseJson(text, (why) => `the object provided is unrecognized: ${why}`);
  if (!isObject(body)) throw badRequest("the object provided is unrecognized");
  return () => body;
}

function replicasOf(spec: unknown, name: string): number {
  const replicas = at(spec, "replicas") ?? 0;
  if (typeof replicas === "number" && Number.isInteger(replicas) && replicas >= 0) return replicas;
  const wrong = invalidValue("spec.replicas", replicas, "must be greater than or equal to 0");
  throw invalid({ group: "autoscaling", kind: "Scale" }, name, [wrong]);
}

function scaleOf(object: ApiObject): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const labels = Object.entries(objectOf(at(object, "spec", "selector", "matchLabels")));
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: at(object, "spec", "replicas") ?? 1 },
    status: {
      replicas: at(object, "status", "replicas") ?? 0,
      selector: labels.map(([key, value]) => `${key}=${textOf(value)}`).join(","),
    },
  };
}
