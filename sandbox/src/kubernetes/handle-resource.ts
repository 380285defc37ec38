import { ApiStatus, methodNotAllowed, noSuchResource, tooLarge } from "./api-status.js";
import { bodyText } from "./body-text.js";
import { PROTOBUF } from "./built-in/protobuf.js";
import { collectionOf } from "./cluster.js";
import { handlePatch } from "./handle-patch.js";
import { handlePodAction } from "./handle-pod-subresource.js";
import { handleScale } from "./handle-scale.js";
import type { JsonObject } from "./json.js";
import type { ApiObject } from "./objects.js";
import { listMetadata, listText } from "./output/list-text.js";
import { objectText } from "./output/object-text.js";
import { inProtobuf, PROTOBUF_STREAM, protobufFrame, protobufList } from "./output/protobuf-answer.js";
import { readInclude, table } from "./output/table.js";
import { asTable, watchLine } from "./output/watch-lines.js";
import { list } from "./read/list.js";
import { readVersion } from "./read/list-options.js";
import { watch } from "./read/watch.js";
import { jsonReply, type Reply, textReply } from "./reply.js";
import type { ResourceRequest } from "./request.js";
import { type ResourceCall, scopeOf, writeReply } from "./resource-call.js";
import type { ResourceType } from "./resources/resource-type.js";
import { keyOf } from "./store/collection.js";
import { create } from "./write/create.js";
import { remove } from "./write/delete.js";
import { readDeleteOptions } from "./write/delete-options.js";
import { parseObject } from "./write/read-body.js";
import { existing, replace } from "./write/update.js";
import { readWriteOptions } from "./write/write-options.js";

/** Answers a request for a resource; throws refusals. */
export function handleResource(call: ResourceCall): Reply {
  const { type, target } = call;
  const { subresource, name } = target;
  if (subresource !== undefined && !type.subresources.includes(subresource)) throw noSuchResource();
  if (subresource === "scale") return handleScale(call, name ?? "");
  if (subresource !== undefined && subresource !== "status") return handlePodAction(call, subresource, name ?? "");
  return handlerOf(call)(call, name ?? "");
}

type Handler = (call: ResourceCall, name: string) => Reply;

const HANDLERS: Readonly<Record<string, Handler>> = {
  get: handleGet,
  list: handleList,
  watch: handleWatch,
  create: handleCreate,
  update: handleUpdate,
  patch: handlePatch,
  delete: handleDelete,
  deletecollection: handleDeleteCollection,
};

function handlerOf({ type, target }: ResourceCall): Handler {
  const handler = HANDLERS[target.verb];
  if (!handler || isMisplaced(type, target)) throw methodNotAllowed();
  return handler;
}

/** Whether this verb is not for this path. */
function isMisplaced({ namespaced, plural }: ResourceType, target: ResourceRequest): boolean {
  const { verb, namespace, name, subresource } = target;
  const onObject = name !== undefined;
  if (verb === "create" && onObject) return true;
  if (verb === "deletecollection" && plural === "namespaces") return true;
  if (verb === "delete" && subresource === "status") return true;
  // Single objects and new ones need their namespace.
  return namespaced && namespace === undefined && (onObject || verb === "create");
}

function handleGet({ cluster, type, target, request }: ResourceCall, name: string): Reply {
  const wanted =
    readVersion(request.query.get("resourceVersion") ?? "", (why) => new ApiStatus({ code: 500, message: why })) ?? 0;
  if (wanted > cluster.store.revision) throw tooLarge(wanted, cluster.store.revision);
  const object = existing(cluster, { type, namespace: scopeOf(type, target), name });
  if (!asTable(request)) return textReply(objectText(type, object));
  const { resourceVersion = "" } = object.metadata;
  return jsonReply(tableOf({ cluster, type, request }, [object], { resourceVersion }));
}

function handleList({ cluster, type, target, request }: ResourceCall): Reply {
  const result = list(cluster, type, scopeOf(type, target), request.query);
  if (inProtobuf(type, request)) return textReply(protobufList(type, result), { contentType: PROTOBUF });
  if (!asTable(request)) return textReply(listText(type, result));
  return jsonReply(tableOf({ cluster, type, request }, result.objects, listMetadata(result)));
}

function tableOf(
  { cluster, type, request }: Pick<ResourceCall, "cluster" | "type" | "request">,
  objects: readonly ApiObject[],
  metadata: JsonObject,
): JsonObject {
  return table(type, objects, metadata, { include: readInclude(request.query), now: cluster.env.now() });
}

function handleWatch({ cluster, type, target, request }: ResourceCall): Reply {
  const { start } = watch(cluster, type, scopeOf(type, target), request.query);
  if (inProtobuf(type, request)) {
    return { kind: "watch", contentType: PROTOBUF_STREAM, start, line: protobufFrame(type) };
  }
  return { kind: "watch", contentType: "application/json", start, line: watchLine(cluster, type, request) };
}

function handleCreate({ cluster, type, target, request }: ResourceCall): Reply {
  const options = readWriteOptions(request.query, "CreateOptions");
  const body = parseObject(type, bodyText(request));
  return writeReply(type, create(cluster, { type, namespace: scopeOf(type, target) }, body, options));
}

function handleUpdate({ cluster, type, target, request }: ResourceCall, name: string): Reply {
  const options = readWriteOptions(request.query, "UpdateOptions");
  const body = parseObject(type, bodyText(request));
  const subresource = target.subresource === "status" ? "status" : undefined;
  return writeReply(
    type,
    replace(cluster, { type, namespace: scopeOf(type, target), name, subresource }, body, options),
  );
}

function handleDelete({ cluster, type, target, request }: ResourceCall, name: string): Reply {
  const options = readDeleteOptions(request.query, bodyText(request));
  const object = existing(cluster, { type, namespace: scopeOf(type, target), name });
  const { object: last, gone, warnings } = remove(cluster, type, object, options);
  if (!gone || type.deleteAnswersObject) return textReply(objectText(type, last), { warnings });
  const { plural: kind, group } = type;
  const details = { name, ...(group !== "" && { group }), kind, uid: object.metadata.uid };
  return jsonReply({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details }, { warnings });
}

function handleDeleteCollection({ cluster, type, target, request }: ResourceCall): Reply {
  const options = readDeleteOptions(new URLSearchParams(), bodyText(request));
  const result = list(cluster, type, scopeOf(type, target), request.query);
  const collection = collectionOf(cluster, type);
  for (const object of result.objects) {
    const current = collection.get(keyOf(object));
    if (current?.metadata.uid === object.metadata.uid) remove(cluster, type, current, options);
  }
  return textReply(listText(type, result));
}
