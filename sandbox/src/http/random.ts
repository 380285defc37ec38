/** Randomness that repeats for the same seed: a run that failed can be replayed. */

const WORD = 2 ** 32;
const WEYL = 0x9e3779b9;
const HEX = 16;

export class SeededRandom {
  private state: number;

  constructor(readonly seed: number) {
    this.state = seed >>> 0;
  }

  /** In [0, 1): a Weyl sequence through a 32-bit mixer (splitmix32). */
  next(): number {
    this.state = (this.state + WEYL) >>> 0;
    let word = this.state;
    word = Math.imul(word ^ (word >>> 16), 0x21f0aaad);
    word = Math.imul(word ^ (word >>> 15), 0x735a2d97);
    return ((word ^ (word >>> 15)) >>> 0) / WORD;
  }

  /** A whole number from `lowest` to `highest`, both included. */
  integer(lowest: number, highest: number): number {
    return lowest + Math.floor(this.next() * (highest - lowest + 1));
  }

  /** Lower-case hexadecimal digits. */
  hex(digits: number): string {
    return Array.from({ length: digits }, () => Math.floor(this.next() * HEX).toString(HEX)).join("");
  }

  /** A version 4 UUID. */
  uuid(): string {
    const variant = "89ab".charAt(this.integer(0, 3));
    return `${this.hex(8)}-${this.hex(4)}-4${this.hex(3)}-${variant}${this.hex(3)}-${this.hex(12)}`;
  }
}
