import type { ByteInterner } from "./byte-interner.js";

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
