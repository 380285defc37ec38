/** Kubernetes' protobuf encoding of the built-in kinds, for answers. */
import { isObject, type JsonObject, listOf, textOf } from "../json.js";
import { type Field, type Message, messageNamed, messageOfKind } from "./messages.js";
import { ProtobufWriter } from "./protobuf-writer.js";

const MAGIC = Buffer.from("k8s\0", "latin1");
const VARINT = 0;
const FIXED_64 = 1;

/** What an object is, as it stands in front of its bytes. */
export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Whether objects of a kind have a protobuf form here. */
export function hasProtobuf({ apiVersion, kind }: TypeMeta): boolean {
  return messageOfKind(apiVersion, kind) !== undefined;
}

/** The bytes of an object, without the envelope; fields that its message does not have are left out. */
export function objectBytes(type: TypeMeta, object: JsonObject): Buffer {
  const writer = new ProtobufWriter();
  writeMessage(writer, known(messageOfKind(type.apiVersion, type.kind)), object);
  return writer.finish();
}

/** A whole answer: the object's bytes, as {@link objectBytes} makes them, with its kind in front. */
export function inEnvelope({ apiVersion, kind }: TypeMeta, bytes: Buffer): Buffer {
  const writer = new ProtobufWriter();
  writer.raw(bytes);
  writer.delimit(2, 0);
  const start = writer.mark;
  writeText(writer, 2, kind);
  writeText(writer, 1, apiVersion);
  writer.delimit(1, start);
  writer.raw(MAGIC);
  return writer.finish();
}

/** The bytes of a list of objects that are already encoded. */
export function listBytes(metadata: JsonObject, items: readonly Buffer[]): Buffer {
  const writer = new ProtobufWriter();
  for (const item of items.toReversed()) {
    const start = writer.mark;
    writer.raw(item);
    writer.delimit(2, start);
  }
  const start = writer.mark;
  writeMessage(writer, known("meta.ListMeta"), metadata);
  writer.delimit(1, start);
  return writer.finish();
}

/** An event of a watch, with its length in front. @param object in its envelope. */
export function eventFrame(type: string, object: Buffer): Buffer {
  const writer = new ProtobufWriter();
  writer.raw(object);
  writer.delimit(1, 0);
  writer.delimit(2, 0);
  writeText(writer, 1, type);
  const header = Buffer.alloc(4);
  header.writeUInt32BE(writer.mark);
  writer.raw(header);
  return writer.finish();
}

function known(name: string | undefined): Message {
  const message = messageNamed(name ?? "");
  if (message === undefined)
    throw new Error(`no message ${name ?? "for this kind"}: add it to tools/kubernetes-fields`);
  return message;
}

function writeMessage(writer: ProtobufWriter, { descending }: Message, object: JsonObject): void {
  for (const [number, field] of descending) {
    if (field.name === "") writeInner(writer, number, field, object);
    else if (Object.hasOwn(object, field.name)) writeField(writer, number, field, object[field.name]);
  }
}

/** A message whose fields stand in the object itself. */
function writeInner(writer: ProtobufWriter, number: number, { type }: Field, object: JsonObject): void {
  const start = writer.mark;
  writeMessage(writer, known(type), object);
  writer.delimit(number, start);
}

function writeField(writer: ProtobufWriter, number: number, field: Field, value: unknown): void {
  if (field.many === "list") {
    for (const item of listOf(value).toReversed()) writeValue(writer, number, field.type, item);
  } else if (field.many === "map") {
    if (isObject(value)) writeMap(writer, number, field.type, value);
  } else writeValue(writer, number, field.type, value);
}

function writeMap(writer: ProtobufWriter, number: number, type: string, map: JsonObject): void {
  for (const key of Object.keys(map).sort().reverse()) {
    const start = writer.mark;
    writeValue(writer, 2, type, map[key]);
    writeText(writer, 1, key);
    writer.delimit(number, start);
  }
}

type Write = (writer: ProtobufWriter, number: number, value: unknown) => void;

const WRITERS: Readonly<Record<string, Write>> = {
  text: (writer, number, value) => writeText(writer, number, textOf(value)),
  int: (writer, number, value) => {
    if (typeof value === "number") writeInt(writer, number, value);
  },
  bool: (writer, number, value) => writeInt(writer, number, value === true ? 1 : 0),
  float: (writer, number, value) => {
    writer.double(Number(value));
    writer.tag(number, FIXED_64);
  },
  bytes: (writer, number, value) => writeBytes(writer, number, Buffer.from(textOf(value), "base64")),
  quantity: (writer, number, value) => wrapped(writer, number, () => writeText(writer, 1, String(value))),
  raw: (writer, number, value) =>
    wrapped(writer, number, () => writeBytes(writer, 1, Buffer.from(JSON.stringify(value)))),
  intOrString: (writer, number, value) => wrapped(writer, number, () => writeIntOrString(writer, value)),
  time: (writer, number, value) => wrapped(writer, number, () => writeTime(writer, textOf(value))),
  microTime: (writer, number, value) => wrapped(writer, number, () => writeTime(writer, textOf(value))),
};

function writeValue(writer: ProtobufWriter, number: number, type: string, value: unknown): void {
  if (value === null || value === undefined) return;
  const write = Object.hasOwn(WRITERS, type) ? WRITERS[type] : undefined;
  if (write !== undefined) write(writer, number, value);
  else if (isObject(value)) wrapped(writer, number, () => writeMessage(writer, known(type), value));
}

function wrapped(writer: ProtobufWriter, number: number, write: () => void): void {
  const start = writer.mark;
  write();
  writer.delimit(number, start);
}

function writeText(writer: ProtobufWriter, number: number, text: string): void {
  const start = writer.mark;
  writer.text(text);
  writer.delimit(number, start);
}

function writeBytes(writer: ProtobufWriter, number: number, bytes: Buffer): void {
  const start = writer.mark;
  writer.raw(bytes);
  writer.delimit(number, start);
}

function writeInt(writer: ProtobufWriter, number: number, value: number): void {
  writer.varint(value);
  writer.tag(number, VARINT);
}

function writeIntOrString(writer: ProtobufWriter, value: unknown): void {
  const isText = typeof value === "string";
  writeText(writer, 3, isText ? value : "");
  writeInt(writer, 2, isText ? 0 : Number(value));
  writeInt(writer, 1, isText ? 1 : 0);
}

const MICROS = /\.(\d+)/;

function writeTime(writer: ProtobufWriter, time: string): void {
  const micros = (MICROS.exec(time)?.[1] ?? "").padEnd(6, "0").slice(0, 6);
  const seconds = Math.floor(Date.parse(time.replace(MICROS, "")) / 1000);
  if (!Number.isFinite(seconds)) return;
  writeInt(writer, 2, Number(micros) * 1000);
  writeInt(writer, 1, seconds);
}
