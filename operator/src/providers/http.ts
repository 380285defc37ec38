/**
 * Connections to one API, which stay open, use a proxy if the environment sets one, and give complete answers only; and a
 * reader of the API's JSON that checks every field.
 */

import type { IncomingHttpHeaders } from "node:http";
import { HttpConnections } from "../http/connections.js";
import { proxyFromEnv } from "../http/connector.js";
import { counted } from "../messages/failed-calls.js";
import {
  CLOUD_CONNECT_TIMEOUT_MS,
  CLOUD_CONNECTIONS,
  CLOUD_KEEP_ALIVE_MS,
  CLOUD_LIST_MOST,
  MAX_ANSWER_BYTES,
} from "../timings.js";

/** The answer was cut off by us. */
export class AnswerTooLong extends Error {
  override readonly name = "AnswerTooLong";

  constructor() {
    super(`an answer of more than ${MAX_ANSWER_BYTES} bytes`);
  }
}

interface RawRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

export interface RawAnswer {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

export class Connections {
  private readonly http: HttpConnections;

  /** @param env for HTTPS_PROXY and NO_PROXY. */
  constructor(baseUrl: string, env: Readonly<Record<string, string | undefined>>) {
    this.http = new HttpConnections({
      connections: CLOUD_CONNECTIONS,
      keepAliveMs: CLOUD_KEEP_ALIVE_MS,
      connectTimeoutMs: CLOUD_CONNECT_TIMEOUT_MS,
      proxyUrl: proxyFromEnv(new URL(baseUrl), env),
    });
  }

  /** Rejects with the network's own error, AnswerTooLong, or the signal's reason. Follows no redirect. */
  async send({ url, ...request }: RawRequest): Promise<RawAnswer> {
    const { origin, pathname, search } = new URL(url);
    const answer = await this.http.send({ ...request, origin, path: `${pathname}${search}` });
    try {
      return { status: answer.statusCode ?? 0, headers: readHeaders(answer.headers), text: await readText(answer) };
    } catch (error) {
      request.signal?.throwIfAborted();
      throw error;
    }
  }

  /** Ends all requests and connections. */
  close(): Promise<void> {
    return this.http.destroy();
  }
}

function readHeaders(headers: IncomingHttpHeaders): ReadonlyMap<string, string> {
  return new Map(Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(", ")]));
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new AnswerTooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes).toString("utf8");
}

/** The answer is not what the API's description promises. `path` says where in it. */
export class MalformedAnswer extends Error {
  override readonly name = "MalformedAnswer";
}

/** A value in an answer, and where it stands. */
export class Answer {
  private constructor(
    private readonly value: unknown,
    private readonly path: string,
  ) {}

  /** @throws MalformedAnswer when the text is no JSON. */
  static parse(text: string): Answer {
    try {
      return new Answer(JSON.parse(text), "");
    } catch {
      throw new MalformedAnswer(text.trim() === "" ? "an empty answer" : "an answer that is not JSON");
    }
  }

  static of(value: unknown): Answer {
    return new Answer(value, "");
  }

  /** A member of an object; one that is missing is there as `undefined`. */
  at(key: string): Answer {
    if (typeof this.value !== "object" || this.value === null || Array.isArray(this.value)) throw this.not("an object");
    // Its own members only; without a copy, since an answer may have a million of them.
    const member: unknown = Object.hasOwn(this.value, key) ? Reflect.get(this.value, key) : undefined;
    return new Answer(member, this.path === "" ? key : `${this.path}.${key}`);
  }

  get missing(): boolean {
    return this.value === undefined;
  }

  /** Missing or null. */
  get empty(): boolean {
    return this.value === undefined || this.value === null;
  }

  string(): string {
    if (typeof this.value !== "string") throw this.not("a string");
    return this.value;
  }

  /** A string that passes a test; `what` says which, for the message. */
  stringThat(holds: (text: string) => boolean, what: string): string {
    const text = this.string();
    if (!holds(text)) throw this.not(what);
    return text;
  }

  oneOf<T extends string>(values: readonly T[]): T {
    const found = values.find((value) => value === this.value);
    if (found === undefined) throw this.not(`one of ${values.join(", ")}`);
    return found;
  }

  /** A whole number, 0 or more, that a double holds exactly. */
  natural(): number {
    const { value } = this;
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) throw this.not("a whole number");
    return value;
  }

  boolean(): boolean {
    if (typeof this.value !== "boolean") throw this.not("true or false");
    return this.value;
  }

  items(): readonly Answer[] {
    if (!Array.isArray(this.value)) throw this.not("a list");
    const { length } = this.value;
    if (length > CLOUD_LIST_MOST.items) throw this.tooLong(length);
    return this.value.map((item: unknown, index) => new Answer(item, `${this.path}[${index}]`));
  }

  private not(wanted: string): MalformedAnswer {
    return new MalformedAnswer(`${this.where()} is ${kindOf(this.value)}, expected ${wanted}`);
  }

  private tooLong(length: number): MalformedAnswer {
    return new MalformedAnswer(
      `${this.where()} has ${counted(length)} items, expected ${counted(CLOUD_LIST_MOST.items)} at most`,
    );
  }

  private where(): string {
    return this.path === "" ? "the answer" : `"${this.path}"`;
  }
}

/** Never the value itself: an answer may hold what does not belong into logs. */
function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `another ${typeof value}`;
}
