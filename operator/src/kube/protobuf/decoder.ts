/** Reads the protobuf answers of an API server as the objects that its JSON has, with the fields of a table only. */

import type { KubeObject, WatchEvent } from "../objects.js";
import { list, nested, readText } from "./field-types.js";
import { ENDPOINT_SLICE, LIST_META, node, POD, STATUS, service } from "./kinds.js";
import { ByteInterner, DELIMITED, find, type Message, message, ProtobufError, Reader, readInto } from "./reader.js";

/** Of answers; a watch's has a parameter behind it. */
export const PROTOBUF = "application/vnd.kubernetes.protobuf";

/** @param contentType of an answer. */
export function isProtobuf(contentType: string | undefined): boolean {
  return contentType !== undefined && contentType.split(";")[0]?.trim() === PROTOBUF;
}

/** A list as its JSON has it. */
interface DecodedList {
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items: readonly KubeObject[];
}

/** An ERROR event's object is a Status. */
type DecodedEvent = Pick<WatchEvent, "object"> & { readonly type: string };

/** Field numbers of `WatchEvent` and of the `RawExtension` in it. */
const EVENT_TYPE = 1;
const EVENT_OBJECT = 2;
const EXTENSION_RAW = 1;

/** Reads one kind. Keep one for all watches of the kind: they share its strings. */
class ObjectDecoder {
  private readonly reader: Reader;
  private readonly listMessage: Message;

  constructor(
    private readonly table: Message,
    interner = new ByteInterner(),
  ) {
    this.reader = new Reader(interner);
    this.listMessage = message(`${table.name}List`, { metadata: nested(1, LIST_META), items: list(2, table) });
  }

  /** @throws ProtobufError */
  list(bytes: Buffer): DecodedList {
    this.reader.start(bytes);
    this.expect(this.listMessage);
    return readInto(this.reader, this.listMessage, { metadata: {}, items: [] });
  }

  /** @param frame without its length. @throws ProtobufError */
  event(frame: Buffer): DecodedEvent {
    const { reader } = this;
    reader.start(frame);
    const type = readType(reader);
    reader.start(frame);
    const extension = find(reader, EVENT_OBJECT);
    if (extension === undefined) throw new ProtobufError("a watch event without an object");
    reader.start(frame, extension.at, extension.end);
    const raw = find(reader, EXTENSION_RAW);
    if (raw === undefined) throw new ProtobufError("a watch event without an object");
    reader.start(frame, raw.at, raw.end);
    const table = type === "ERROR" ? STATUS : this.table;
    this.expect(table);
    return { type, object: readInto(reader, table, { metadata: {} }) as KubeObject };
  }

  private expect({ name }: Message): void {
    const kind = openEnvelope(this.reader);
    if (kind !== name) throw new ProtobufError(`a ${kind || "nameless kind"}, where a ${name} was expected`);
  }
}

/** The Status in a refusal. @throws ProtobufError */
export function readStatus(bytes: Buffer): Readonly<Record<string, unknown>> {
  const reader = new Reader(new ByteInterner());
  reader.start(bytes);
  const kind = openEnvelope(reader);
  if (kind !== STATUS.name) throw new ProtobufError(`a ${kind || "nameless kind"}, where a Status was expected`);
  return readInto(reader, STATUS, { kind });
}

function readType(reader: Reader): string {
  let type = "";
  while (!reader.done) {
    const tag = reader.varint();
    if (tag === ((EVENT_TYPE << 3) | DELIMITED)) type = readText(reader);
    else reader.skip(tag & 7);
  }
  return type;
}

/** One for all watches of a server: pods, nodes and slices repeat each other's names. */
export class Decoders {
  readonly nodes: ObjectDecoder;
  readonly pods: ObjectDecoder;
  private readonly kinds: Readonly<Record<string, ObjectDecoder>>;

  /** @param annotations prefixes of those that are read of nodes and Services. */
  constructor(annotations: readonly string[]) {
    const interner = new ByteInterner();
    this.nodes = new ObjectDecoder(node(annotations), interner);
    this.pods = new ObjectDecoder(POD, interner);
    this.kinds = {
      services: new ObjectDecoder(service(annotations), interner),
      endpointslices: new ObjectDecoder(ENDPOINT_SLICE, interner),
    };
  }

  /** Of a kind of which the operator reads few fields, by the name of its watch; `undefined`: JSON. */
  of(name: string): ObjectDecoder | undefined {
    return Object.hasOwn(this.kinds, name) ? this.kinds[name] : undefined;
  }
}

const MAGIC = 0x6b_38_73_00;
const MAGIC_BYTES = 4;
/** Of `Unknown`. */
const TYPE_META = 1;
const RAW = 2;
/** Of `TypeMeta`. */
const KIND = 2;

/** Narrows the reader to the object in the envelope at its place. @returns the object's kind. */
function openEnvelope(reader: Reader): string {
  const { bytes, at, end } = reader;
  if (end - at < MAGIC_BYTES || bytes.readUInt32BE(at) !== MAGIC) {
    throw new ProtobufError("the bytes do not start as an object of Kubernetes does");
  }
  const start = at + MAGIC_BYTES;
  const part = (number: number, from: number, to: number) => {
    reader.start(bytes, from, to);
    return find(reader, number) ?? { at: to, end: to };
  };
  const typeMeta = part(TYPE_META, start, end);
  const kind = part(KIND, typeMeta.at, typeMeta.end);
  const raw = part(RAW, start, end);
  reader.start(bytes, raw.at, raw.end);
  return reader.interner.text(bytes, kind.at, kind.end);
}
