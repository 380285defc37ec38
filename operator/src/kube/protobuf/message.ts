/** The language in which the tables of `kinds/` name the fields that the operator reads. */
import { DELIMITED, ProtobufError, type Reader } from "./reader.js";

/** An object while it is read. */
export type Draft = Record<string, unknown>;

/** A field of a message: where it stands, and how its value comes into the object. */
export interface Field {
  readonly number: number;
  /** Wire type. A field that comes with another one is skipped. */
  readonly wire: number;
  /** Reads the value at the reader's place; delimited values start with their length. */
  read(reader: Reader, object: Draft, name: string): void;
}

/** Fields by their JSON names. */
export type Fields = Readonly<Record<string, Field>>;

interface NamedField {
  readonly name: string;
  readonly field: Field;
}

export interface Message {
  readonly name: string;
  readonly fields: Fields;
  /** By number, for reading. */
  readonly byNumber: readonly (NamedField | undefined)[];
  /** The operator sends what it reads back to the server: it refuses a field that it does not know. */
  readonly complete: boolean;
}

/** A message of which the rest is skipped, unread. */
export function message(name: string, fields: Fields): Message {
  return { name, fields, byNumber: numbered(fields), complete: false };
}

/** A message of which all fields are known. */
export function completeMessage(name: string, fields: Fields): Message {
  return { name, fields, byNumber: numbered(fields), complete: true };
}

/** Reads fields up to the reader's end into `object`. */
export function readInto<D extends Draft>(reader: Reader, { name, byNumber, complete }: Message, object: D): D {
  while (!reader.done) {
    const tag = reader.varint();
    const known = byNumber[tag >>> 3];
    const wire = tag & 7;
    if (known !== undefined && known.field.wire === wire) known.field.read(reader, object, known.name);
    else if (complete) throw new ProtobufError(`${name} has the field ${tag >>> 3}, which this version does not know`);
    else reader.skip(wire);
  }
  return object;
}

/** Reads the delimited message at the reader's place. */
export function readNested(reader: Reader, nested: Message, object: Draft = {}): Draft {
  const outer = reader.enter();
  readInto(reader, nested, object);
  reader.leave(outer);
  return object;
}

/** Offsets of the last delimited field of this number up to the reader's end, which it moves to; `undefined`: none. */
export function find(reader: Reader, number: number): { readonly at: number; readonly end: number } | undefined {
  let found: { at: number; end: number } | undefined;
  while (!reader.done) {
    const tag = reader.varint();
    if (tag >>> 3 === number && (tag & 7) === DELIMITED) {
      const outer = reader.enter();
      found = { at: reader.at, end: reader.end };
      reader.leave(outer);
    } else reader.skip(tag & 7);
  }
  return found;
}

function numbered(fields: Fields): readonly (NamedField | undefined)[] {
  const byNumber: (NamedField | undefined)[] = [];
  for (const [name, field] of Object.entries(fields)) byNumber[field.number] = { name, field };
  // Without holes: those are slow to look up.
  return Array.from(byNumber);
}
