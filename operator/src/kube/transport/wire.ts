/** What goes on the wire for a request, and what comes back: an answer in full, or the stream of a watch. */

import type { Readable } from "node:stream";
import { cutAtWord } from "../../printable.js";
import { MAX_BODY_BYTES, MAX_QUEUED_BYTES } from "../../timings.js";
import { omitUndefined } from "../../values.js";
import { type KubeRequest, type KubeStream, type StatusDetails, StatusError } from "../client.js";
import { isProtobuf, PROTOBUF, readStatus } from "../protobuf/decoder.js";
import { type Deadline, toNetworkError } from "./failures.js";

export interface ServerAddress {
  /** `https://host:port` */
  readonly origin: string;
  readonly host: string;
  /** Path in front of every request's, without a slash at its end; empty for most servers. */
  readonly prefix: string;
}

const JSON_TYPE = "application/json";
const METADATA_TYPE = `${JSON_TYPE};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;

export function serverAddress(server: string): ServerAddress {
  const url = new URL(server);
  return { origin: url.origin, host: url.host, prefix: url.pathname.replace(/\/+$/, "") };
}

export function requestOptions(
  address: ServerAddress,
  request: KubeRequest,
  headers: Readonly<Record<string, string | string[]>>,
) {
  const body = request.body === undefined ? null : JSON.stringify(request.body);
  return {
    origin: address.origin,
    path: address.prefix + request.path + queryString(request.query),
    method: request.method,
    headers: {
      accept: accepted(request),
      ...(body === null ? {} : { "content-type": contentType(request) }),
      ...headers,
    },
    body,
  };
}

function accepted({ decoder, metadataOnly }: KubeRequest): string {
  if (decoder !== undefined) return `${PROTOBUF}, ${JSON_TYPE}`;
  return metadataOnly === true ? `${METADATA_TYPE}, ${JSON_TYPE}` : JSON_TYPE;
}

/** The request in a message: `GET https://host/path (source)`, without its query. */
export function describeRequest(address: ServerAddress, request: KubeRequest, source: string): string {
  return `${request.method} ${address.origin}${address.prefix}${request.path} (${source})`;
}

function contentType(request: KubeRequest): string {
  return request.contentType ?? (request.method === "PATCH" ? "application/merge-patch+json" : "application/json");
}

function queryString(query: KubeRequest["query"]): string {
  const given = Object.entries(omitUndefined(query ?? {})).map(([key, value]): [string, string] => [
    key,
    String(value),
  ]);
  return given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`;
}

/** As much of an answer that is no Status as a message quotes, characters. */
const QUOTED_CHARACTERS = 200;

export interface RawResponse {
  readonly code: number;
  readonly contentType: string;
  readonly retryAfter: string | undefined;
}

/** @throws Error beyond {@link MAX_BODY_BYTES} */
export async function readBody(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) {
      throw new Error(`the answer is longer than ${MAX_BODY_BYTES} bytes; list in smaller pages`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

/** What an answer is read for. */
interface Reading {
  readonly request: Pick<KubeRequest, "decoder">;
  /** For messages. */
  readonly where: string;
}

/** @throws Error when the answer is neither JSON nor the protobuf that was asked for. */
export function parseBody<T>(body: Buffer, response: RawResponse, { request, where }: Reading): T {
  if (request.decoder !== undefined && isProtobuf(response.contentType)) return request.decoder.list(body) as T;
  const text = body.toString("utf8");
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new Error(
      `${where}: answered ${response.code} with ${response.contentType || "no content type"}, which is not JSON: "${cutAtWord(text, QUOTED_CHARACTERS)}"; check that the address is an API server's`,
      { cause: error },
    );
  }
}

/** @param nowMs wall clock, for a Retry-After that is a date. */
export function toStatusError(request: KubeRequest, response: RawResponse, body: Buffer, nowMs: number): StatusError {
  const protobuf = isProtobuf(response.contentType);
  const text = protobuf ? "" : body.toString("utf8");
  const status = protobuf ? decodeStatus(body) : parseStatus(text);
  const seen = status.message ?? (cutAtWord(text.trim(), QUOTED_CHARACTERS) || "no message");
  const retryAfterSeconds = parseRetryAfter(response.retryAfter, nowMs);
  return new StatusError({
    code: response.code,
    reason: status.reason ?? "",
    message: `${request.method} ${request.path}: ${response.code} ${status.reason ?? ""}`.trimEnd().concat(`: ${seen}`),
    ...(status.details === undefined ? {} : { details: status.details }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

/** Seconds or an HTTP date. */
function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined || value === "") return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - nowMs) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

interface Status {
  readonly reason?: string;
  readonly message?: string;
  readonly details?: StatusDetails;
}

function decodeStatus(body: Buffer): Status {
  try {
    return readStatus(body);
  } catch {
    return {};
  }
}

function parseStatus(text: string): Status {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null && "kind" in parsed && parsed.kind === "Status"
      ? (parsed as Status)
      : {};
  } catch {
    return {};
  }
}

/**
 * The chunks of a body as the socket delivered them; Node's own iterator would join those that wait. Where the reader is
 * slower, the body is paused, so that the socket fills up and the server waits.
 */
export class ChunkQueue {
  private chunks: Buffer[] = [];
  private bytes = 0;
  private first = 0;
  private over = false;
  private error: Error | undefined;
  private wake: (() => void) | undefined;

  constructor(private readonly body: Readable) {
    body.on("data", (chunk: Buffer) => this.add(chunk));
    body.on("end", () => this.end(undefined));
    body.on("error", (error) => this.end(error));
    body.on("close", () => this.end(closedEarly()));
    // A body that was destroyed before emits nothing more.
    if (body.destroyed) this.end(body.errored ?? closedEarly());
  }

  /** The next chunk that has arrived; `undefined`: none, see {@link next}. */
  take(): Buffer | undefined {
    const chunk = this.chunks[this.first];
    if (chunk === undefined) return undefined;
    this.first++;
    this.bytes -= chunk.length;
    if (this.first === this.chunks.length) this.restart();
    return chunk;
  }

  /** Waits for a chunk. @returns `undefined` at the end; rejects with what broke the body. */
  async next(): Promise<Buffer | undefined> {
    for (;;) {
      const chunk = this.take();
      if (chunk !== undefined) return chunk;
      if (this.error !== undefined) throw this.error;
      if (this.over) return undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  private restart(): void {
    this.chunks = [];
    this.first = 0;
    if (this.body.isPaused()) this.body.resume();
  }

  private add(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    if (this.bytes >= MAX_QUEUED_BYTES) this.body.pause();
    this.wake?.();
  }

  /** The first reason counts. */
  private end(error: Error | undefined): void {
    if (this.over) return;
    this.over = true;
    this.error = error;
    this.wake?.();
  }
}

function closedEarly(): Error {
  return new Error("the stream was closed before its end");
}

/** The body of a watch. Owns the request's abort scope from the moment the headers are there. */
export class BodyStream implements KubeStream {
  private closed = false;

  constructor(
    private readonly body: Readable,
    private readonly scope: Deadline,
    private readonly where: string,
    readonly contentType: string,
  ) {
    // An error after the reader has left (a reset while closing) is dropped.
    body.on("error", () => {});
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    try {
      const queue = new ChunkQueue(this.body);
      for (;;) {
        const chunk = queue.take() ?? (await queue.next());
        if (chunk === undefined) return;
        yield chunk;
      }
    } catch (error) {
      if (this.closed) return;
      this.scope.signal.throwIfAborted();
      throw toNetworkError(error, this.where);
    } finally {
      this.close();
    }
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.scope.dispose();
    this.body.destroy();
  }
}
