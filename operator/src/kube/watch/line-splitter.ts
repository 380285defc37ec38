import { MAX_LINE_BYTES } from "../../bounds.js";

const NEWLINE = 0x0a;

export class LineTooLongError extends Error {
  constructor(seen: number, limit: number) {
    super(
      `watch stream: ${seen} bytes without a newline (limit ${limit}): this is not a Kubernetes watch; look at what answers at the server's address, a proxy for example`,
    );
    this.name = "LineTooLongError";
  }
}

/** Cuts a byte stream into lines. Works on bytes, so that a UTF-8 character split over two chunks stays whole. */
export class LineSplitter {
  private held: Buffer[] = [];
  private heldBytes = 0;

  constructor(private readonly limit = MAX_LINE_BYTES) {}

  /** Bytes of an unfinished line. More than 0 at the end of a stream means that it was cut in mid-line. */
  get pendingBytes(): number {
    return this.heldBytes;
  }

  /** The lines that `chunk` completes, without their newline; empty lines are left out. */
  *push(chunk: Buffer): Generator<Buffer, void, undefined> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line = this.complete(chunk.subarray(start, end));
      start = end + 1;
      if (line.length > 0) yield line;
    }
    this.hold(chunk.subarray(start));
  }

  private complete(tail: Buffer): Buffer {
    this.checkLength(this.heldBytes + tail.length);
    if (this.heldBytes === 0) return tail;
    const line = Buffer.concat([...this.held, tail], this.heldBytes + tail.length);
    this.held = [];
    this.heldBytes = 0;
    return line;
  }

  private hold(rest: Buffer): void {
    if (rest.length === 0) return;
    this.checkLength(this.heldBytes + rest.length);
    this.held.push(rest);
    this.heldBytes += rest.length;
  }

  private checkLength(bytes: number): void {
    if (bytes > this.limit) throw new LineTooLongError(bytes, this.limit);
  }
}
