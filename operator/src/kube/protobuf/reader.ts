/** Walks through the bytes of protobuf messages, with tables that name the fields which the operator reads. */

/** Bytes beyond this are rarely the same twice. */
const MAX_BYTES = 4096;
const SETS = 4096;
const WAYS = 4;
const FNV_PRIME = 0x01000193;

interface Entry<V> {
  readonly hash: number;
  readonly bytes: Buffer;
  readonly value: V;
}

/**
 * Values by the bytes that they were made of: bytes that are known cost no new value. It holds a bounded number of
 * them, and a new one replaces an old one of its set, so that names that somebody chose to collide do no harm.
 */
class ByteTable<V> {
  private readonly sets: (Entry<V>[] | undefined)[] = new Array(SETS);
  private turn = 0;

  get(bytes: Buffer, start: number, end: number): V | undefined {
    const hash = hashOf(bytes, start, end);
    const entries = this.sets[hash & (SETS - 1)];
    if (entries === undefined) return undefined;
    for (const entry of entries) if (entry.hash === hash && isSame(entry.bytes, bytes, start, end)) return entry.value;
    return undefined;
  }

  add(bytes: Buffer, start: number, end: number, value: V): void {
    if (end - start > MAX_BYTES) return;
    const hash = hashOf(bytes, start, end);
    const entry = { hash, bytes: Buffer.from(bytes.subarray(start, end)), value };
    const entries = this.sets[hash & (SETS - 1)];
    if (entries === undefined) this.sets[hash & (SETS - 1)] = [entry];
    else if (entries.length < WAYS) entries.push(entry);
    else entries[this.turn++ % WAYS] = entry;
  }
}

export type TextMap = Readonly<Record<string, string>>;

/** One string for equal bytes, and one frozen map for equal encoded maps: the pods of a cluster repeat a few hundred. */
export class ByteInterner {
  private readonly texts = new ByteTable<string>();
  private readonly maps = new ByteTable<TextMap>();

  text(bytes: Buffer, start: number, end: number): string {
    const known = this.texts.get(bytes, start, end);
    if (known !== undefined) return known;
    const text = bytes.toString("utf8", start, end);
    this.texts.add(bytes, start, end, text);
    return text;
  }

  /** @param read makes the map where these bytes are new. */
  map(bytes: Buffer, start: number, end: number, read: () => TextMap): TextMap {
    const known = this.maps.get(bytes, start, end);
    if (known !== undefined) return known;
    const map = Object.freeze(read());
    this.maps.add(bytes, start, end, map);
    return map;
  }
}

function hashOf(bytes: Buffer, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), FNV_PRIME);
  // The upper bits choose the set too: the lower ones alone hardly depend on the last byte.
  return hash ^ (hash >>> 15);
}

function isSame(known: Buffer, bytes: Buffer, start: number, end: number): boolean {
  if (known.length !== end - start) return false;
  for (let at = 0; at < known.length; at++) if (known[at] !== bytes[start + at]) return false;
  return true;
}

/** The bytes are not the message that they should be. */
export class ProtobufError extends Error {
  constructor(what: string) {
    super(`protobuf: ${what}`);
    this.name = "ProtobufError";
  }
}

/** A value without a length. */
export const VARINT = 0;
/** Text, bytes, and messages inside messages. */
export const DELIMITED = 2;
const FIXED_64 = 1;
const FIXED_32 = 5;
/** Beyond 64 bits. */
const MAX_SHIFT = 63;
const NO_BYTES = Buffer.alloc(0);

/** Walks through a buffer without copying it. Every step moves on or throws, so that no input can hold it up. */
export class Reader {
  bytes: Buffer = NO_BYTES;
  at = 0;
  end = 0;

  constructor(readonly interner: ByteInterner) {}

  /** Reads `bytes` from `at` to `end` next. */
  start(bytes: Buffer, at = 0, end = bytes.length): void {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  get done(): boolean {
    return this.at >= this.end;
  }

  /** Narrows the reader to the delimited value that starts here. @returns what {@link leave} needs. */
  enter(): number {
    const outer = this.end;
    this.end = this.length() + this.at;
    return outer;
  }

  /** Moves behind the value that was entered. */
  leave(outer: number): void {
    this.at = this.end;
    this.end = outer;
  }

  /** Of the delimited value that starts here. */
  length(): number {
    const length = this.varint();
    if (length < 0 || length > this.end - this.at) {
      throw new ProtobufError(`a value of ${length} bytes, where ${this.end - this.at} are left`);
    }
    return length;
  }

  /** An integer of 64 bits with a sign; exact up to 2^53. */
  varint(): number {
    const first = this.byte();
    return first < 0x80 ? first : this.longVarint(first);
  }

  skip(wire: number): void {
    if (wire === DELIMITED) this.move(this.length());
    else if (wire === VARINT) this.varint();
    else if (wire === FIXED_64) this.move(8);
    else if (wire === FIXED_32) this.move(4);
    else throw new ProtobufError(`wire type ${wire}`);
  }

  private move(count: number): void {
    if (count > this.end - this.at) throw new ProtobufError("the message ends too early");
    this.at += count;
  }

  private byte(): number {
    if (this.at >= this.end) throw new ProtobufError("the message ends too early");
    return this.bytes[this.at++] ?? 0;
  }

  private longVarint(first: number): number {
    let low = first & 0x7f;
    let high = 0;
    for (let shift = 7; shift <= MAX_SHIFT; shift += 7) {
      const byte = this.byte();
      const bits = byte & 0x7f;
      if (shift < 32) low |= bits << shift;
      if (shift === 28) high |= bits >> 4;
      if (shift > 32) high |= bits << (shift - 32);
      if (byte < 0x80) return high * 2 ** 32 + (low >>> 0);
    }
    throw new ProtobufError("a number of more than 10 bytes");
  }
}

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
