import { Pacer } from "../../async.js";
import type { Clock } from "../../clock.js";
import { MAX_LINE_BYTES } from "../../timings.js";
import { type BodyDecoder, type KubeStream, type StatusDetails, StatusError } from "../client.js";
import type { WatchEvent } from "../objects.js";
import { isProtobuf } from "../protobuf/decoder.js";
import { ProtobufError } from "../protobuf/reader.js";

interface EventReaderProps {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** For a stream that is protobuf. @default JSON only */
  readonly decoder?: BodyDecoder | undefined;
  /** Each time that anything arrives. */
  readonly onBytes: () => void;
  /** One event; a promise holds the stream back until it is settled. */
  readonly onEvent: (event: WatchEvent) => Promise<void> | undefined;
}

/** As much of a broken line as a message quotes, bytes. */
const QUOTED_BYTES = 120;

/**
 * Reads a watch to its end. Resolves when the server ended it between two events.
 * @throws StatusError for an ERROR event, Error for a stream cut in mid-event, ProtobufError, the signal's reason.
 */
export async function readEvents(stream: KubeStream, props: EventReaderProps): Promise<void> {
  const { splitter, parse } = formatOf(stream, props.decoder);
  const pacer = new Pacer(props.clock, props.signal);
  for await (const chunk of stream) {
    props.onBytes();
    for (const piece of splitter.push(chunk)) {
      props.signal.throwIfAborted();
      const pending = props.onEvent(parse(piece));
      if (pending !== undefined) await pending;
      if (pacer.due) await pacer.yieldOnce();
    }
  }
  props.signal.throwIfAborted();
  if (splitter.pendingBytes > 0) {
    throw new Error(`watch stream: ended in the middle of an event, after ${splitter.pendingBytes} bytes of it`);
  }
}

interface Format {
  readonly splitter: LineSplitter | FrameSplitter;
  /** Of one piece that the splitter gives. */
  readonly parse: (piece: Buffer) => WatchEvent;
}

/** As the server has chosen. */
function formatOf({ contentType }: KubeStream, decoder: BodyDecoder | undefined): Format {
  if (decoder === undefined || !isProtobuf(contentType)) return { splitter: new LineSplitter(), parse: parseEvent };
  return { splitter: new FrameSplitter(), parse: (frame) => decodeEvent(frame, decoder) };
}

function decodeEvent(frame: Buffer, decoder: BodyDecoder): WatchEvent {
  const event: unknown = decoder.event(frame);
  if (!isWatchEvent(event)) throw new ProtobufError("a frame of the watch is not a watch event");
  if (event.type === "ERROR") throw statusOf(event.object);
  return event;
}

function parseEvent(line: Buffer): WatchEvent {
  let event: unknown;
  try {
    event = JSON.parse(line.toString("utf8"));
  } catch (error) {
    throw new Error(`watch stream: a line is not JSON: "${line.toString("utf8", 0, QUOTED_BYTES)}"`, { cause: error });
  }
  if (!isWatchEvent(event)) {
    throw new Error(`watch stream: a line is not a watch event: "${line.toString("utf8", 0, QUOTED_BYTES)}"`);
  }
  if (event.type === "ERROR") throw statusOf(event.object);
  return event;
}

const TYPES: ReadonlySet<unknown> = new Set(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]);

function isWatchEvent(value: unknown): value is WatchEvent {
  if (typeof value !== "object" || value === null || !("type" in value) || !("object" in value)) return false;
  return TYPES.has(value.type) && typeof value.object === "object" && value.object !== null;
}

function statusOf(object: unknown): StatusError {
  const status = object as { code?: number; reason?: string; message?: string; details?: StatusDetails };
  return new StatusError({
    code: status.code ?? 500,
    reason: status.reason ?? "",
    message: `watch: ${status.code ?? 500} ${status.reason ?? ""}: ${status.message ?? "no message"}`,
    ...(status.details === undefined ? {} : { details: status.details }),
  });
}

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
