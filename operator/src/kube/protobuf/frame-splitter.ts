import { MAX_LINE_BYTES } from "../../bounds.js";

const HEADER_BYTES = 4;

/** Not a sign of an encoding that the decoder cannot read: the stream itself is broken. */
export class FrameTooLongError extends Error {
  constructor(length: number, limit: number) {
    super(
      `watch stream: an event of ${length} bytes (limit ${limit}): this is not a Kubernetes watch; look at what answers at the server's address, a proxy for example`,
    );
    this.name = "FrameTooLongError";
  }
}

/**
 * Cuts a watch's bytes into frames: four bytes of length, then the event. A frame that lies in one chunk is a view of
 * it. One that lies in several is gathered in a buffer that is used again: read each frame before asking for the next.
 */
export class FrameSplitter {
  private readonly header = Buffer.alloc(HEADER_BYTES);
  private headerBytes = 0;
  private gathered = Buffer.alloc(0);
  /** Of the frame under way; `undefined`: its header is not complete. */
  private length: number | undefined;
  private filled = 0;

  constructor(private readonly limit = MAX_LINE_BYTES) {}

  /** Bytes of an unfinished frame, its header included. More than 0 at the end of a stream means that it was cut. */
  get pendingBytes(): number {
    return this.headerBytes + this.filled;
  }

  /** The frames that `chunk` completes, without their headers. */
  *push(chunk: Buffer): Generator<Buffer, void, undefined> {
    let at = 0;
    while (at < chunk.length) {
      if (this.length === undefined) {
        at += this.readHeader(chunk, at);
        if (this.length === undefined) return;
      }
      const missing = this.length - this.filled;
      const frame = chunk.subarray(at, at + missing);
      at += frame.length;
      if (frame.length === this.length) yield this.finished(frame);
      else if (this.gather(frame)) yield this.finished(this.gathered.subarray(0, this.length));
    }
  }

  /** @returns how many bytes belong to the header. */
  private readHeader(chunk: Buffer, at: number): number {
    const taken = Math.min(HEADER_BYTES - this.headerBytes, chunk.length - at);
    chunk.copy(this.header, this.headerBytes, at, at + taken);
    this.headerBytes += taken;
    if (this.headerBytes < HEADER_BYTES) return taken;
    const length = this.header.readUInt32BE();
    if (length > this.limit) throw new FrameTooLongError(length, this.limit);
    this.length = length;
    return taken;
  }

  /** @returns whether the frame is complete. */
  private gather(part: Buffer): boolean {
    const length = this.length ?? 0;
    // Grown as bytes arrive: a length alone must not take memory.
    if (this.gathered.length < this.filled + part.length) {
      const grown = Buffer.allocUnsafe(Math.min(length, Math.max(2 * this.gathered.length, this.filled + part.length)));
      this.gathered.copy(grown, 0, 0, this.filled);
      this.gathered = grown;
    }
    part.copy(this.gathered, this.filled);
    this.filled += part.length;
    return this.filled === length;
  }

  private finished(frame: Buffer): Buffer {
    this.headerBytes = 0;
    this.length = undefined;
    this.filled = 0;
    return frame;
  }
}
