/** The types of fields. Go sends empty values, which its JSON leaves out: so do these, unless they are `KEPT`. */
import {
  DELIMITED,
  type Draft,
  type Field,
  type Message,
  ProtobufError,
  type Reader,
  readNested,
  type TextMap,
  VARINT,
} from "./reader.js";

/** JSON has the field even where its value is empty: in Go it is a pointer, or has no `omitempty`. */
export const KEPT = true;

/** Text that many objects share: one string for all of them. */
export function text(number: number, kept = false): Field {
  const read = (reader: Reader, object: Draft, name: string) => {
    const value = readText(reader);
    if (kept || value !== "") object[name] = value;
  };
  return { number, wire: DELIMITED, read };
}

/** Text that only one object has, such as a uid. */
export function ownText(number: number): Field {
  const read = (reader: Reader, object: Draft, name: string) => {
    const outer = reader.enter();
    if (!reader.done) object[name] = reader.bytes.toString("utf8", reader.at, reader.end);
    reader.leave(outer);
  };
  return { number, wire: DELIMITED, read };
}

export function int(number: number, kept = false): Field {
  const read = (reader: Reader, object: Draft, name: string) => {
    const value = reader.varint();
    if (kept || value !== 0) object[name] = value;
  };
  return { number, wire: VARINT, read };
}

export function bool(number: number, kept = false): Field {
  const read = (reader: Reader, object: Draft, name: string) => {
    const value = reader.varint() !== 0;
    if (kept || value) object[name] = value;
  };
  return { number, wire: VARINT, read };
}

/** RFC 3339, in whole seconds. */
export function time(number: number): Field {
  const read = (reader: Reader, object: Draft, name: string) => {
    const outer = reader.enter();
    const value = reader.done ? undefined : readTime(reader);
    reader.leave(outer);
    if (value !== undefined) object[name] = value;
  };
  return { number, wire: DELIMITED, read };
}

export function nested(number: number, inner: Message): Field {
  const read = (reader: Reader, object: Draft, name: string) => {
    // A message that comes in two parts is one.
    object[name] = readNested(reader, inner, object[name] as Draft | undefined);
  };
  return { number, wire: DELIMITED, read };
}

/** @param only keeps items whose first field is this text; the others are not read. */
export function list(number: number, inner: Message, only?: string): Field {
  const wanted = only === undefined ? undefined : Buffer.from(only);
  const read = (reader: Reader, object: Draft, name: string) => {
    if (wanted === undefined || startsWith(reader, wanted, true)) itemsOf(object, name).push(readNested(reader, inner));
    else reader.skip(DELIMITED);
  };
  return { number, wire: DELIMITED, read };
}

export function texts(number: number): Field {
  const read = (reader: Reader, object: Draft, name: string) => {
    itemsOf(object, name).push(readText(reader));
  };
  return { number, wire: DELIMITED, read };
}

/** A frozen map, the same object for the same bytes. */
export function sharedMap(number: number): Field {
  const read = (reader: Reader, object: Draft, name: string) => {
    const { bytes, end, at: start } = reader;
    skipRun(reader, number);
    const { at } = reader;
    const map = reader.interner.map(bytes, start, at, () => {
      reader.start(bytes, start, at);
      const entries = readEntries(reader);
      reader.start(bytes, at, end);
      return entries;
    });
    const before = object[name] as TextMap | undefined;
    // Servers send a map in one piece; what comes in several is not shared.
    if (before === undefined) object[name] = map;
    else object[name] = Object.assign(Object.isFrozen(before) ? { ...before } : before, map);
  };
  return { number, wire: DELIMITED, read };
}

/** The entries of a map whose keys start with one of `prefixes`; of the others not even the key becomes a string. */
export function prefixedMap(number: number, prefixes: readonly string[]): Field {
  const wanted = prefixes.map((prefix) => Buffer.from(prefix));
  const read = (reader: Reader, object: Draft, name: string) => {
    if (!startsWithOne(reader, wanted)) return reader.skip(DELIMITED);
    const [key, value] = readEntry(reader);
    const map = (object[name] ?? {}) as Record<string, string>;
    map[key] = value;
    object[name] = map;
  };
  return { number, wire: DELIMITED, read };
}

/** A number or a text, as `type` says. */
export function intOrString(number: number): Field {
  const read = (reader: Reader, object: Draft, name: string) => {
    const parts = { type: 0, intVal: 0, strVal: "" };
    const outer = reader.enter();
    while (!reader.done) readPart(reader, parts);
    reader.leave(outer);
    object[name] = parts.type === 0 ? parts.intVal : parts.strVal;
  };
  return { number, wire: DELIMITED, read };
}

export function readText(reader: Reader): string {
  const outer = reader.enter();
  const value = reader.done ? "" : reader.interner.text(reader.bytes, reader.at, reader.end);
  reader.leave(outer);
  return value;
}

function readPart(reader: Reader, parts: { type: number; intVal: number; strVal: string }): void {
  const tag = reader.varint();
  if (tag === ((1 << 3) | VARINT)) parts.type = reader.varint();
  else if (tag === ((2 << 3) | VARINT)) parts.intVal = reader.varint();
  else if (tag === ((3 << 3) | DELIMITED)) parts.strVal = readText(reader);
  else reader.skip(tag & 7);
}

function itemsOf(object: Draft, name: string): unknown[] {
  const known = object[name];
  if (Array.isArray(known)) return known;
  const items: unknown[] = [];
  object[name] = items;
  return items;
}

/** From year 1, which Go takes for no time at all, to the last one that RFC 3339 can write. */
const NO_TIME = -62_135_596_800;
const LAST_TIME = 253_402_300_799;

function readTime(reader: Reader): string | undefined {
  let seconds = 0;
  while (!reader.done) {
    const tag = reader.varint();
    if (tag === ((1 << 3) | VARINT)) seconds = reader.varint();
    else reader.skip(tag & 7);
  }
  if (seconds < NO_TIME || seconds > LAST_TIME) throw new ProtobufError(`a time of ${seconds} s since 1970`);
  return seconds === NO_TIME ? undefined : `${new Date(seconds * 1000).toISOString().slice(0, -".000Z".length)}Z`;
}

/** Moves behind this entry of a map and those that follow it directly. */
function skipRun(reader: Reader, number: number): void {
  reader.skip(DELIMITED);
  while (!reader.done) {
    const { at } = reader;
    if (reader.varint() !== ((number << 3) | DELIMITED)) {
      reader.at = at;
      return;
    }
    reader.skip(DELIMITED);
  }
}

/** The reader stands behind the tag of the first entry. */
function readEntries(reader: Reader): TextMap {
  const entries = [readEntry(reader)];
  while (!reader.done) {
    reader.varint();
    entries.push(readEntry(reader));
  }
  return Object.fromEntries(entries);
}

const KEY = (1 << 3) | DELIMITED;
const VALUE = (2 << 3) | DELIMITED;

function readEntry(reader: Reader): [string, string] {
  const entry: [string, string] = ["", ""];
  const outer = reader.enter();
  while (!reader.done) {
    const tag = reader.varint();
    if (tag === KEY) entry[0] = readText(reader);
    else if (tag === VALUE) entry[1] = readText(reader);
    else reader.skip(tag & 7);
  }
  reader.leave(outer);
  return entry;
}

function startsWithOne(reader: Reader, prefixes: readonly Buffer[]): boolean {
  for (const prefix of prefixes) if (startsWith(reader, prefix, false)) return true;
  return false;
}

/**
 * Whether field 1 of the value that starts here begins with these bytes; the reader stays where it is.
 * @param whole it is nothing else.
 */
function startsWith(reader: Reader, wanted: Buffer, whole: boolean): boolean {
  const { bytes, at, end } = reader;
  reader.enter();
  let passed = false;
  while (!reader.done) {
    const tag = reader.varint();
    if (tag !== KEY) reader.skip(tag & 7);
    else {
      const length = reader.length();
      passed = (whole ? length === wanted.length : length >= wanted.length) && isAt(bytes, reader.at, wanted);
      break;
    }
  }
  reader.start(bytes, at, end);
  return passed;
}

function isAt(bytes: Buffer, at: number, wanted: Buffer): boolean {
  for (let index = 0; index < wanted.length; index++) if (bytes[at + index] !== wanted[index]) return false;
  return true;
}
