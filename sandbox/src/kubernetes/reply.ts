import type { Clock } from "flipop-operator/clock";
import type { ApiStatus } from "./api-status.js";
import type { JsonObject } from "./json.js";
import type { WatchEvent, WatchSink } from "./read/watch.js";

/** A whole answer. */
export interface TextReply {
  readonly kind: "text";
  readonly code: number;
  readonly contentType: string;
  /** Bytes: protobuf. */
  readonly text: string | Buffer;
  readonly warnings: readonly string[];
  readonly retryAfterSeconds?: number;
}

/** An answer that goes on: one line of JSON, or one frame of protobuf, for each event. */
export interface WatchReply {
  readonly kind: "watch";
  readonly contentType: string;
  /** Starts the events; the returned function ends them from the client's side. */
  readonly start: (sink: WatchSink, clock: Clock) => () => void;
  /** The line of an event with its line break, or the frame with its length. */
  readonly line: (event: WatchEvent) => string | Buffer;
}

export type Reply = TextReply | WatchReply;

const JSON_TYPE = "application/json";

/** An answer that is already written: JSON where no content type says otherwise. */
export function textReply(
  text: string | Buffer,
  { code = 200, warnings = [] as readonly string[], contentType = JSON_TYPE } = {},
): TextReply {
  return { kind: "text", code, contentType, text, warnings };
}

/** An answer of JSON. */
export function jsonReply(
  value: JsonObject,
  options: { readonly code?: number; readonly warnings?: readonly string[]; readonly contentType?: string } = {},
): TextReply {
  return textReply(JSON.stringify(value), options);
}

/** An answer of plain text, as health checks give it. */
export function plainReply(text: string, code = 200): TextReply {
  return { kind: "text", code, contentType: "text/plain; charset=utf-8", text, warnings: [] };
}

/** A refusal. */
export function statusReply(status: ApiStatus): TextReply {
  const { retryAfterSeconds } = status;
  return {
    ...jsonReply(status.body(), { code: status.code }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}
