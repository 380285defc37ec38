import { MAX_BODY_BYTES } from "../bounds.js";
import type { KubeRequest } from "./client.js";
import { isProtobuf, readStatus } from "./protobuf/decoder.js";
import { type StatusDetails, StatusError } from "./status-error.js";

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
export interface Reading {
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
      `${where}: answered ${response.code} with ${response.contentType || "no content type"}, which is not JSON: "${text.slice(0, QUOTED_CHARACTERS)}"; check that the address is an API server's`,
      { cause: error },
    );
  }
}

/** @param nowMs wall clock, for a Retry-After that is a date. */
export function toStatusError(request: KubeRequest, response: RawResponse, body: Buffer, nowMs: number): StatusError {
  const protobuf = isProtobuf(response.contentType);
  const text = protobuf ? "" : body.toString("utf8");
  const status = protobuf ? decodeStatus(body) : parseStatus(text);
  const seen = status.message ?? (text.trim().slice(0, QUOTED_CHARACTERS) || "no message");
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
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
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
