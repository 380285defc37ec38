/** Reads Kubernetes' protobuf encoding of the built-in kinds, which kubectl and client-go send. */
import { unsupportedMediaType } from "../api-status.js";
import { isObject, type JsonObject, listOf, objectOf } from "../json.js";
import { type Field, type Message, messageNamed, messageOfKind } from "./messages.js";
import { fieldsOf, signed, varintsOf, type WireField } from "./protobuf-wire.js";

/** The media type in which `kubectl create` and client-go send built-in kinds. */
export const PROTOBUF = "application/vnd.kubernetes.protobuf";

/** What stands before the envelope that names the kind. */
const MAGIC = "k8s\0";

/** Reads an object; throws 415 for kinds that the emulator does not store. */
export function readProtobuf(body: Buffer): JsonObject {
  if (body.subarray(0, MAGIC.length).toString("latin1") !== MAGIC) throw refused("something else");
  const envelope = partsOf(body.subarray(MAGIC.length));
  const type = partsOf(envelope.get(1));
  const [apiVersion, kind] = [textIn(type, 1), textIn(type, 2)];
  const raw = envelope.get(2) ?? NONE;
  const list = kind.endsWith(LIST) ? messageOfKind(apiVersion, kind.slice(0, -LIST.length)) : undefined;
  if (list !== undefined) return { apiVersion, kind, ...readList(raw, list) };
  const message = messageNamed(messageOfKind(apiVersion, kind) ?? "");
  if (!message) throw refused(kind);
  return { apiVersion, kind, ...readMessage(raw, message) };
}

/** Reads an event of a watch, without its length. */
export function readProtobufEvent(frame: Buffer): { readonly type: string; readonly object: JsonObject } {
  const event = partsOf(frame);
  const object = partsOf(event.get(2)).get(1) ?? NONE;
  return { type: textIn(event, 1), object: readProtobuf(object) };
}

const LIST = "List";

/** Every list has its metadata first, then its items. */
function readList(raw: Buffer, item: string): JsonObject {
  const field = (name: string, type: string, many: Field["many"]) => ({ name, type, many, omitEmpty: true });
  const fields = [[1, field("metadata", "meta.ListMeta", "one")] as const, [2, field("items", item, "list")] as const];
  return { items: [], ...readMessage(raw, { fields: new Map(fields) }) };
}

const NONE = Buffer.alloc(0);

function refused(kind: string) {
  return unsupportedMediaType(`the emulator does not read ${kind} as ${PROTOBUF}: send application/json`);
}

/** The fields that have a length, the last of each number. */
function partsOf(body: Buffer = NONE): ReadonlyMap<number, Buffer> {
  return new Map([...fieldsOf(body)].map(({ field, bytes }) => [field, bytes]));
}

function textIn(parts: ReadonlyMap<number, Buffer>, field: number): string {
  return parts.get(field)?.toString("utf8") ?? "";
}

function readMessage(body: Buffer, { fields }: Pick<Message, "fields">): JsonObject {
  const object: JsonObject = {};
  for (const wire of fieldsOf(body)) {
    const field = fields.get(wire.field);
    if (field !== undefined) addField(object, field, wire);
  }
  return object;
}

function addField(object: JsonObject, field: Field, wire: WireField): void {
  const { name, many } = field;
  if (many === "map") object[name] = { ...objectOf(object[name]), ...readEntry(field, wire.bytes) };
  else if (many === "list") object[name] = [...listOf(object[name]), ...readItems(field, wire)];
  else {
    const value = readValue(field.type, wire);
    if (name === "") Object.assign(object, value);
    else if (!isLeftOut(field, value)) object[name] = value;
  }
}

/** Go's protobuf sends what is not set as an empty value, its JSON leaves that out. */
function isLeftOut({ omitEmpty }: Field, value: unknown): boolean {
  return value === undefined || (omitEmpty && (value === "" || value === 0 || value === false));
}

function readEntry({ type }: Field, bytes: Buffer): JsonObject {
  const [key, value] = [...fieldsOf(bytes)].sort((a, b) => a.field - b.field);
  return { [key?.bytes.toString("utf8") ?? ""]: readValue(type, value ?? { field: 2, value: 0n, bytes: NONE }) };
}

/** One item, or numbers that are packed into one field. */
function readItems({ type }: Field, wire: WireField): readonly unknown[] {
  if (type === "int" && wire.bytes.length > 0) return [...varintsOf(wire.bytes)].map(signed);
  return [readValue(type, wire)];
}

type Reader = (wire: WireField) => unknown;

const READERS: Readonly<Record<string, Reader>> = {
  text: ({ bytes }) => bytes.toString("utf8"),
  int: ({ value }) => signed(value),
  bool: ({ value }) => value !== 0n,
  float: ({ bytes }) => (bytes.length === 8 ? bytes.readDoubleLE() : 0),
  bytes: ({ bytes }) => bytes.toString("base64"),
  quantity: ({ bytes }) => partsOf(bytes).get(1)?.toString("utf8") ?? "0",
  raw: ({ bytes }) => readRaw(partsOf(bytes).get(1)),
  intOrString: ({ bytes }) => readIntOrString(bytes),
  time: ({ bytes }) => readTime(bytes)?.replace(/\.\d+Z$/, "Z"),
  microTime: ({ bytes }) => readTime(bytes),
};

function readValue(type: string, wire: WireField): unknown {
  const read = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  if (read !== undefined) return read(wire);
  const message = messageNamed(type);
  if (message === undefined) throw new Error(`no reader for ${type}: add it to protobuf.ts`);
  return readMessage(wire.bytes, message);
}

function readRaw(bytes: Buffer | undefined): unknown {
  const value: unknown = bytes === undefined || bytes.length === 0 ? undefined : JSON.parse(bytes.toString("utf8"));
  return isObject(value) ? value : undefined;
}

function readIntOrString(bytes: Buffer): number | string {
  const parts = new Map([...fieldsOf(bytes)].map((wire) => [wire.field, wire]));
  const isText = parts.get(1)?.value === 1n;
  return isText ? (parts.get(3)?.bytes.toString("utf8") ?? "") : signed(parts.get(2)?.value ?? 0n);
}

/** With 6 digits of a second; undefined for a time that is not set, which is sent empty. */
function readTime(bytes: Buffer): string | undefined {
  if (bytes.length === 0) return undefined;
  const parts = new Map([...fieldsOf(bytes)].map(({ field, value }) => [field, value]));
  const micros = signed(parts.get(2) ?? 0n) / 1_000;
  const seconds = new Date(signed(parts.get(1) ?? 0n) * 1_000).toISOString().slice(0, -".000Z".length);
  return `${seconds}.${String(Math.floor(micros)).padStart(6, "0")}Z`;
}
