/** Reads the protobuf answers of an API server as the objects that its JSON has, with the fields of a table only. */
import type { KubeObject, WatchEvent } from "../objects.js";
import { ByteInterner } from "./byte-interner.js";
import { openEnvelope } from "./envelope.js";
import { list, nested, readText } from "./fields.js";
import { LIST_META, STATUS } from "./kinds/meta.js";
import { find, type Message, message, readInto } from "./message.js";
import { DELIMITED, ProtobufError, Reader } from "./reader.js";

/** Of answers; a watch's has a parameter behind it. */
export const PROTOBUF = "application/vnd.kubernetes.protobuf";

/** @param contentType of an answer. */
export function isProtobuf(contentType: string | undefined): boolean {
  return contentType !== undefined && contentType.split(";")[0]?.trim() === PROTOBUF;
}

/** A list as its JSON has it. */
export interface DecodedList {
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items: readonly KubeObject[];
}

/** An ERROR event's object is a Status. */
export type DecodedEvent = Pick<WatchEvent, "object"> & { readonly type: string };

/** Field numbers of `WatchEvent` and of the `RawExtension` in it. */
const EVENT_TYPE = 1;
const EVENT_OBJECT = 2;
const EXTENSION_RAW = 1;

/** Reads one kind. Keep one for all watches of the kind: they share its strings. */
export class ObjectDecoder {
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
    return { type, object: readInto(reader, table, { metadata: {} }) as unknown as KubeObject };
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
