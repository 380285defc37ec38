import type { Clock } from "../clock.js";
import type { BodyDecoder, KubeStream } from "./client.js";
import { LineSplitter } from "./line-splitter.js";
import type { WatchEvent } from "./objects.js";
import { Pacer } from "./pacer.js";
import { isProtobuf } from "./protobuf/decoder.js";
import { FrameSplitter } from "./protobuf/frame-splitter.js";
import { ProtobufError } from "./protobuf/reader.js";
import { type StatusDetails, StatusError } from "./status-error.js";

export interface EventReaderProps {
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
      if (pacer.due) await pacer.iteration();
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
