const START_BYTES = 1024;
const DELIMITED = 2;

/** Writes protobuf from its end to its start: the length of a message is known once its content stands there. */
export class ProtobufWriter {
  private bytes = Buffer.allocUnsafe(START_BYTES);
  private at = START_BYTES;

  /** A place to measure a length from, see {@link delimit}. */
  get mark(): number {
    return this.bytes.length - this.at;
  }

  /** What was written since {@link mark} becomes the delimited value of a field. */
  delimit(field: number, mark: number): void {
    this.varint(this.mark - mark);
    this.tag(field, DELIMITED);
  }

  tag(field: number, wire: number): void {
    this.varint(field * 8 + wire);
  }

  text(text: string): void {
    const length = Buffer.byteLength(text);
    this.reserve(length);
    this.at -= length;
    this.bytes.write(text, this.at, length, "utf8");
  }

  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.at -= bytes.length;
    this.bytes.set(bytes, this.at);
  }

  /** An integer of 64 bits with a sign. */
  varint(value: number): void {
    if (value >= 0 && value < 0x80) {
      this.reserve(1);
      this.bytes[--this.at] = value;
      return;
    }
    const groups: number[] = [];
    let rest = BigInt.asUintN(64, BigInt(Math.trunc(value)));
    for (; rest >= 0x80n; rest >>= 7n) groups.push(Number(rest & 0x7fn) | 0x80);
    groups.push(Number(rest));
    this.raw(Uint8Array.from(groups));
  }

  double(value: number): void {
    this.reserve(8);
    this.at -= 8;
    this.bytes.writeDoubleLE(value, this.at);
  }

  /** A copy of everything so far. */
  finish(): Buffer {
    return Buffer.from(this.bytes.subarray(this.at));
  }

  private reserve(count: number): void {
    if (this.at >= count) return;
    const used = this.mark;
    const grown = Buffer.allocUnsafe(2 * (this.bytes.length + count));
    this.bytes.copy(grown, grown.length - used, this.at);
    this.bytes = grown;
    this.at = grown.length - used;
  }
}
