import type { ServerResponse } from "node:http";
import { ApiStatus } from "./api-status.js";
import type { ApiRequest, ResourceRequest } from "./request.js";

/** What is to go wrong with one request. */
export type Fault =
  /** Answered after a while, by the injected clock. */
  | { readonly kind: "delay"; readonly ms: number }
  /** Refused; nothing is done. */
  | { readonly kind: "status"; readonly code: number; readonly reason?: string; readonly retryAfterSeconds?: number }
  /** The connection is reset before anything is done. */
  | { readonly kind: "reset" }
  /** The request is carried out, and the connection reset instead of an answer. */
  | { readonly kind: "lose-answer" }
  /** Accepted and never answered. */
  | { readonly kind: "hang" }
  /** The connection is closed after so many bytes of the answer's body, in the middle of a line or character too. */
  | { readonly kind: "cut"; readonly bytes: number };

/** What a fault is decided by. */
export interface FaultRequest extends ApiRequest {
  /** Undefined for discovery and health. */
  readonly target: ResourceRequest | undefined;
}

/** Called for each request; undefined lets it pass. */
export type FaultHook = (request: FaultRequest) => Fault | undefined;

/** The refusal that a fault is. */
export function faultStatus({ code, reason, retryAfterSeconds }: Extract<Fault, { kind: "status" }>): ApiStatus {
  return new ApiStatus({
    code,
    message: `fault injected: ${code}`,
    ...(reason !== undefined && { reason }),
    details: retryAfterSeconds === undefined ? {} : { retryAfterSeconds },
  });
}

/** Where the body of an answer goes; true says that it is over. */
export type BodyWriter = (text: string | Buffer) => boolean;

/** Writes to a response, and cuts it after so many bytes if asked to. */
export function bodyWriter(response: ServerResponse, fault: Fault | undefined): BodyWriter {
  let left = fault?.kind === "cut" ? fault.bytes : Number.POSITIVE_INFINITY;
  return (text) => {
    if (left === Number.POSITIVE_INFINITY) {
      response.write(text);
      return false;
    }
    const bytes = (typeof text === "string" ? Buffer.from(text) : text).subarray(0, left);
    left -= bytes.length;
    response.write(bytes);
    if (left > 0) return false;
    // FIN after the bytes written so far, without the end of the body.
    response.socket?.end();
    return true;
  };
}
