/** What a simulator's handlers see of a request, and what they answer. */

import type { IncomingHttpHeaders } from "node:http";
import type { JsonValue } from "./json.js";

export interface SimulatorRequest {
  /** Random UUID, as the API names the request in its errors. */
  readonly id: string;
  readonly method: string;
  /** Without the server's prefix and without the query; percent-encoding as sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** `POST /v2/things/{id}`: the route as declared. Undefined where no route fits. */
  readonly route: string | undefined;
  /** What stands for the `{name}` parts of the route, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** Undefined where there was none, and where it was not JSON. */
  readonly body: JsonValue | undefined;
  /** What links in answers start with: scheme, host, port and prefix, without a slash at the end. */
  readonly baseUrl: string;
}

export interface SimulatorAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: an answer without a body. */
  readonly body?: JsonValue;
  /** Sends `body`, a text, as `text/plain` instead of JSON. @default false */
  readonly plain?: boolean;
}

/** Sees an answer of the API as it is, before a fault damages it on the wire. Must not throw. */
export type AnswerListener = (request: SimulatorRequest, answer: SimulatorAnswer) => void;

/** Thrown by a handler, or before it, to answer with an error. State must not have been changed yet. */
export class Refusal extends Error {
  override readonly name = "Refusal";

  constructor(
    message: string,
    readonly answer: SimulatorAnswer,
  ) {
    super(message);
  }
}

/** Anything but GET and HEAD. */
export function isMutating(method: string): boolean {
  return method !== "GET" && method !== "HEAD";
}
