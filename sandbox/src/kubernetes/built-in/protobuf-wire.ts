/** The wire format of protobuf. */

export interface WireField {
  readonly field: number;
  /** Of a varint, as the bits are. */
  readonly value: bigint;
  /** Of anything with a length, and of numbers of 4 or 8 bytes. */
  readonly bytes: Buffer;
}

/** Bytes after the tag, by wire type; undefined: as many as the length that stands there. */
const FIXED: Readonly<Record<number, number>> = { 0: 0, 1: 8, 5: 4 };

/** The fields of a message, in their order. */
export function* fieldsOf(body: Buffer): Generator<WireField> {
  const reader = { offset: 0 };
  while (reader.offset < body.length) {
    const tag = readVarint(body, reader);
    const wire = Number(tag & 7n);
    const value = wire === 0 || wire === 2 ? readVarint(body, reader) : 0n;
    const length = FIXED[wire] ?? Number(value);
    const bytes = body.subarray(reader.offset, reader.offset + length);
    reader.offset += length;
    yield { field: Number(tag >> 3n), value, bytes };
  }
}

/** Numbers that stand one after the other in one field. */
export function* varintsOf(body: Buffer): Generator<bigint> {
  const reader = { offset: 0 };
  while (reader.offset < body.length) yield readVarint(body, reader);
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

/** An integer of 64 bits with a sign, as JSON has it. */
export function signed(value: bigint): number {
  return Number(BigInt.asIntN(64, value));
}
