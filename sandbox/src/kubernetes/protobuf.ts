import { unsupportedMediaType } from "./api-status.js";
import type { JsonObject } from "./json.js";

/** The media type in which `kubectl create` and the like send built-in kinds. Answers are always JSON. */
export const PROTOBUF = "application/vnd.kubernetes.protobuf";

type Scalar = "text" | "texts" | "int" | "bool" | "textMap" | "bytesMap";

/** A message: the name and shape of each field, by its number in the .proto files of k8s.io/api. */
type Message = { readonly [field: number]: readonly [name: string, shape: Scalar | Message] };

const METADATA: Message = {
  1: ["name", "text"],
  2: ["generateName", "text"],
  3: ["namespace", "text"],
  5: ["uid", "text"],
  6: ["resourceVersion", "text"],
  11: ["labels", "textMap"],
  12: ["annotations", "textMap"],
  14: ["finalizers", "texts"],
};

const DELETE_OPTIONS: Message = {
  1: ["gracePeriodSeconds", "int"],
  2: ["preconditions", { 1: ["uid", "text"], 2: ["resourceVersion", "text"] }],
  4: ["propagationPolicy", "text"],
  5: ["dryRun", "texts"],
};

const RESOURCE_ATTRIBUTES: Message = {
  1: ["namespace", "text"],
  2: ["verb", "text"],
  3: ["group", "text"],
  4: ["version", "text"],
  5: ["resource", "text"],
  6: ["subresource", "text"],
  7: ["name", "text"],
};

const KINDS: Readonly<Record<string, Message>> = {
  Namespace: { 1: ["metadata", METADATA] },
  ServiceAccount: { 1: ["metadata", METADATA] },
  ConfigMap: { 1: ["metadata", METADATA], 2: ["data", "textMap"], 3: ["binaryData", "bytesMap"] },
  Secret: { 1: ["metadata", METADATA], 2: ["data", "bytesMap"], 3: ["type", "text"], 4: ["stringData", "textMap"] },
  Eviction: { 1: ["metadata", METADATA], 2: ["deleteOptions", DELETE_OPTIONS] },
  DeleteOptions: DELETE_OPTIONS,
  SelfSubjectAccessReview: {
    1: ["metadata", METADATA],
    2: ["spec", { 1: ["resourceAttributes", RESOURCE_ATTRIBUTES] }],
  },
};

/** The envelope that names what is in it, after four magic bytes. */
const TYPE_META: Message = { 1: ["apiVersion", "text"], 2: ["kind", "text"] };
const MAGIC = "k8s\0";

/** Reads an object in Kubernetes' protobuf encoding; throws 415 for kinds that the emulator does not read so. */
export function readProtobuf(body: Buffer): JsonObject {
  if (body.subarray(0, MAGIC.length).toString("latin1") !== MAGIC) throw refused("something else");
  let type: JsonObject = {};
  let raw: Buffer = Buffer.alloc(0);
  for (const { field, bytes } of fieldsOf(body.subarray(MAGIC.length))) {
    if (field === 1) type = readMessage(bytes, TYPE_META);
    if (field === 2) raw = bytes;
  }
  const kind = String(type.kind);
  const message = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  if (!message) throw refused(kind);
  return { ...type, ...readMessage(raw, message) };
}

function refused(kind: string) {
  return unsupportedMediaType(`the emulator does not read ${kind} as ${PROTOBUF}: send application/json`);
}

function readMessage(body: Buffer, message: Message): JsonObject {
  const object: JsonObject = {};
  for (const { field, value, bytes } of fieldsOf(body)) {
    const [name, shape] = message[field] ?? [];
    if (name === undefined || shape === undefined) continue;
    // Texts that are not set are sent empty.
    const empty = shape === "text" && bytes.length === 0;
    if (!empty) object[name] = readField(object[name], { value, bytes }, shape);
  }
  return object;
}

type Content = Pick<WireField, "value" | "bytes">;

function readField(before: unknown, { value, bytes }: Content, shape: Scalar | Message): unknown {
  switch (shape) {
    case "text":
      return bytes.toString("utf8");
    case "texts":
      return [...(Array.isArray(before) ? before : []), bytes.toString("utf8")];
    case "int":
      return Number(value);
    case "bool":
      return value !== 0n;
    case "textMap":
    case "bytesMap":
      return { ...(before as JsonObject | undefined), ...readEntry(bytes, shape === "textMap" ? "utf8" : "base64") };
    default:
      return readMessage(bytes, shape);
  }
}

function readEntry(body: Buffer, encoding: "utf8" | "base64"): JsonObject {
  const parts = new Map([...fieldsOf(body)].map(({ field, bytes }) => [field, bytes]));
  return { [parts.get(1)?.toString("utf8") ?? ""]: parts.get(2)?.toString(encoding) ?? "" };
}

interface WireField {
  readonly field: number;
  /** Of a varint. */
  readonly value: bigint;
  /** Of anything with a length. */
  readonly bytes: Buffer;
}

/** The fields of a message in the protobuf wire format. */
function* fieldsOf(body: Buffer): Generator<WireField> {
  const reader = { offset: 0 };
  while (reader.offset < body.length) {
    const tag = readVarint(body, reader);
    const wire = Number(tag & 7n);
    const value = wire === 0 || wire === 2 ? readVarint(body, reader) : 0n;
    const length = wire === 2 ? Number(value) : wire === 1 ? 8 : wire === 5 ? 4 : 0;
    const bytes = body.subarray(reader.offset, reader.offset + length);
    reader.offset += length;
    yield { field: Number(tag >> 3n), value, bytes };
  }
}

function readVarint(body: Buffer, reader: { offset: number }): bigint {
  let value = 0n;
  for (let shift = 0n; reader.offset < body.length; shift += 7n) {
    const byte = body[reader.offset] ?? 0;
    reader.offset += 1;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return value;
}
