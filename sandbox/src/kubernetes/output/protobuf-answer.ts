/** Answers in protobuf, for clients that ask for it; kinds that have no protobuf form are answered in JSON. */
import { PROTOBUF } from "../built-in/protobuf.js";
import {
  eventFrame,
  hasProtobuf,
  inEnvelope,
  listBytes,
  objectBytes,
  type TypeMeta,
} from "../built-in/write-protobuf.js";
import { isObject, type JsonObject } from "../json.js";
import { type ApiObject, apiVersionOf } from "../objects.js";
import type { ListResult } from "../read/list.js";
import type { WatchEvent } from "../read/watch.js";
import type { Reply } from "../reply.js";
import type { ApiRequest } from "../request.js";
import { type ResourceType, wireForm } from "../resources/resource-type.js";
import { bookmarkObject } from "./bookmark-object.js";
import { listMetadata } from "./list-text.js";

/** Of a watch. */
export const PROTOBUF_STREAM = `${PROTOBUF};stream=watch`;
const STATUS: TypeMeta = { apiVersion: "v1", kind: "Status" };

/** Whether a client prefers protobuf to JSON. */
export function wantsProtobuf({ headers }: Pick<ApiRequest, "headers">): boolean {
  const [first = ""] = (headers.accept ?? "").split(",");
  return first.trim() === PROTOBUF;
}

/** Whether this kind is answered in protobuf. */
export function inProtobuf(type: ResourceType, request: Pick<ApiRequest, "headers">): boolean {
  return wantsProtobuf(request) && !type.custom && hasProtobuf(typeMetaOf(type));
}

/** The answer in protobuf where it is an object that has such a form, else as it is. */
export function asProtobuf(reply: Reply): Reply {
  if (reply.kind !== "text" || reply.contentType !== "application/json" || typeof reply.text !== "string") return reply;
  const object: unknown = JSON.parse(reply.text);
  if (!isObject(object)) return reply;
  const meta = { apiVersion: String(object["apiVersion"]), kind: String(object["kind"]) };
  if (!hasProtobuf(meta)) return reply;
  return { ...reply, contentType: PROTOBUF, text: inEnvelope(meta, objectBytes(meta, object)) };
}

export function protobufList(type: ResourceType, result: ListResult): Buffer {
  const items = result.objects.map((object) => bytesOf(type, object));
  const meta = { apiVersion: apiVersionOf(type), kind: type.listKind };
  return inEnvelope(meta, listBytes(listMetadata(result), items));
}

/** Writes the frames of a watch. */
export function protobufFrame(type: ResourceType): (event: WatchEvent) => Buffer {
  const meta = typeMetaOf(type);
  const frame = (name: string, of: TypeMeta, bytes: Buffer) => eventFrame(name, inEnvelope(of, bytes));
  return (event) => {
    if (event.type === "ERROR") return frame(event.type, STATUS, objectBytes(STATUS, event.status.body()));
    if (event.type === "BOOKMARK") return frame(event.type, meta, objectBytes(meta, bookmarkObject(type, event)));
    return frame(event.type, meta, bytesOf(type, event.object));
  };
}

const bytes = new WeakMap<ApiObject, Buffer>();

/** Made once for each version of an object. */
function bytesOf(type: ResourceType, stored: ApiObject): Buffer {
  const object = wireForm(type, stored);
  const known = bytes.get(object);
  if (known !== undefined) return known;
  const made = objectBytes(typeMetaOf(type), object as JsonObject);
  bytes.set(object, made);
  return made;
}

function typeMetaOf(type: ResourceType): TypeMeta {
  return { apiVersion: apiVersionOf(type), kind: type.kind };
}
