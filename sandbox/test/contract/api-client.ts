import { Agent, request } from "undici";
import { PROTOBUF, readProtobuf, readProtobufEvent } from "../../src/kubernetes/built-in/protobuf.js";

/** What the cases look at in an answer: an object, a list, a Table, or a Status. */
export interface Body {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata: BodyMetadata;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: unknown;
  readonly data?: Readonly<Record<string, string>>;
  readonly items?: readonly Body[];
  readonly rows?: readonly { readonly cells: readonly unknown[]; readonly object: unknown }[] | null;
  readonly columnDefinitions?: readonly { readonly name: string; readonly type: string; readonly priority: number }[];
  /** Of a Status. */
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: {
    readonly name?: string;
    readonly kind?: string;
    readonly group?: string;
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly { readonly reason: string; readonly message: string; readonly field: string }[];
  };
  readonly [field: string]: unknown;
}

export interface BodyMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly { readonly uid: string }[];
  /** Of a list. */
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface Answer {
  readonly status: number;
  readonly body: Body;
  readonly text: string;
  readonly contentType: string;
  /** Texts of the Warning headers. */
  readonly warnings: readonly string[];
  readonly retryAfter: string | undefined;
}

export interface Event {
  readonly type: string;
  readonly object: Body;
}

export type Query = Readonly<Record<string, string | number | boolean>>;

const PATCH_TYPES = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Query;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
}

export type Format = "json" | "protobuf";

const JSON_TYPE = "application/json";

/** Definitions of custom resources and discovery have a protobuf form, too, which the operator never asks for. */
const IN_JSON = /^\/apis\/apiextensions\.k8s\.io\/|^\/(api|apis\/[^/]+)(\/[^/]+)?\/?$|^\/apis\/?$/;

function acceptOf(format: Format, path: string): string {
  return format === "protobuf" && !IN_JSON.test(path) ? `${PROTOBUF}, ${JSON_TYPE}` : JSON_TYPE;
}

/** Speaks to an API server, real or not, and hides nothing of what it answers. */
export class ApiClient {
  private readonly agent: Agent;

  constructor(
    private readonly server: { readonly url: string; readonly ca?: string | undefined },
    private readonly token: string | undefined,
    /** Which form of answers it asks for; the server may answer in JSON all the same. */
    private readonly format: Format = "json",
  ) {
    this.agent = new Agent({ connect: server.ca === undefined ? {} : { ca: server.ca }, bodyTimeout: 0 });
  }

  /** The same server under another token; undefined: without one. */
  as(token: string | undefined): ApiClient {
    return new ApiClient(this.server, token, this.format);
  }

  /** The same, answered in JSON: for what protobuf cannot say. */
  getJson(path: string): Promise<Answer> {
    return this.send({ method: "GET", path, accept: JSON_TYPE });
  }

  get(path: string, query?: Query): Promise<Answer> {
    return this.send({ method: "GET", path, ...(query && { query }) });
  }

  getTable(path: string, query?: Query): Promise<Answer> {
    return this.send({ method: "GET", path, accept: TABLE, ...(query && { query }) });
  }

  post(path: string, body: unknown, query?: Query): Promise<Answer> {
    return this.send({ method: "POST", path, body, ...(query && { query }) });
  }

  put(path: string, body: unknown, query?: Query): Promise<Answer> {
    return this.send({ method: "PUT", path, body, ...(query && { query }) });
  }

  patch(path: string, type: keyof typeof PATCH_TYPES, body: unknown, query?: Query): Promise<Answer> {
    return this.send({ method: "PATCH", path, body, contentType: PATCH_TYPES[type], ...(query && { query }) });
  }

  delete(path: string, body?: unknown, query?: Query): Promise<Answer> {
    return this.send({ method: "DELETE", path, ...(body !== undefined && { body }), ...(query && { query }) });
  }

  /** Any request; a body that is text is sent as it is. */
  async send({ method, path, query, body, contentType, accept }: Call): Promise<Answer> {
    const payload = typeof body === "string" ? body : JSON.stringify(body);
    const answer = await request(this.server.url + withQuery(path, query), {
      method,
      dispatcher: this.agent,
      headers: this.headers(contentType ?? "application/json", accept ?? acceptOf(this.format, path)),
      body: body === undefined ? null : payload,
    });
    const { body: object, text } = read(Buffer.from(await answer.body.arrayBuffer()), answer.headers["content-type"]);
    const { warning = [], "content-type": type = "", "retry-after": retryAfter } = answer.headers;
    return {
      status: answer.statusCode,
      body: object,
      text,
      contentType: String(type),
      warnings: [warning].flat().map((line) => String(JSON.parse(line.slice(line.indexOf('"'))))),
      retryAfter: retryAfter === undefined ? undefined : String(retryAfter),
    };
  }

  /** Opens a watch; the answer may also be a refusal, which comes as one line. */
  async watch(path: string, query: Query = {}, accept = acceptOf(this.format, path)): Promise<Watch> {
    const controller = new AbortController();
    const answer = await request(this.server.url + withQuery(path, { watch: true, ...query }), {
      method: "GET",
      dispatcher: this.agent,
      headers: this.headers("application/json", accept),
      signal: controller.signal,
    });
    const protobuf = isProtobuf(answer.headers["content-type"]);
    return new Watch({ status: answer.statusCode, body: answer.body, controller, protobuf });
  }

  /** A watch that asks for Tables. */
  watchTable(path: string, query: Query): Promise<Watch> {
    return this.watch(path, query, TABLE);
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }

  private headers(contentType: string, accept: string): Record<string, string> {
    const authorization = this.token === undefined ? {} : { authorization: `Bearer ${this.token}` };
    return { "content-type": contentType, accept, ...authorization };
  }
}

interface WatchParts {
  readonly status: number;
  readonly body: AsyncIterable<Uint8Array>;
  readonly controller: AbortController;
  readonly protobuf: boolean;
}

interface Cut {
  readonly event: Event;
  readonly rest: Buffer<ArrayBuffer>;
}

/** The events of a watch, one by one. */
export class Watch {
  readonly status: number;
  private buffered = Buffer.alloc(0);
  private readonly chunks: AsyncIterator<Uint8Array>;
  private readonly controller: AbortController;
  private readonly cut: (bytes: Buffer) => Cut | undefined;

  constructor({ status, body, controller, protobuf }: WatchParts) {
    this.status = status;
    this.controller = controller;
    this.chunks = body[Symbol.asyncIterator]();
    this.cut = protobuf ? cutFrame : cutLine;
  }

  /** The next event; undefined: the server has ended the watch. */
  async next(): Promise<Event | undefined> {
    for (;;) {
      const cut = this.cut(this.buffered);
      if (cut !== undefined) {
        this.buffered = cut.rest;
        return cut.event;
      }
      const chunk = await this.chunks.next();
      if (chunk.done) return undefined;
      this.buffered = Buffer.concat([this.buffered, chunk.value]);
    }
  }

  /** The next events, so many. */
  async take(count: number): Promise<readonly Event[]> {
    const events: Event[] = [];
    while (events.length < count) {
      const event = await this.next();
      if (!event) throw new Error(`the watch ended after ${events.length} of ${count} events`);
      events.push(event);
    }
    return events;
  }

  /** All events until the server ends the watch. */
  async all(): Promise<readonly Event[]> {
    const events: Event[] = [];
    for (let event = await this.next(); event; event = await this.next()) events.push(event);
    return events;
  }

  close(): void {
    this.controller.abort();
  }
}

function cutLine(bytes: Buffer): Cut | undefined {
  const end = bytes.indexOf("\n");
  if (end < 0) return undefined;
  return { event: JSON.parse(bytes.toString("utf8", 0, end)) as Event, rest: Buffer.from(bytes.subarray(end + 1)) };
}

const HEADER_BYTES = 4;

function cutFrame(bytes: Buffer): Cut | undefined {
  const end = bytes.length < HEADER_BYTES ? Number.POSITIVE_INFINITY : HEADER_BYTES + bytes.readUInt32BE();
  if (bytes.length < end) return undefined;
  const event = readProtobufEvent(bytes.subarray(HEADER_BYTES, end)) as unknown as Event;
  return { event, rest: Buffer.from(bytes.subarray(end)) };
}

function isProtobuf(contentType: unknown): boolean {
  return String(contentType).split(";")[0] === PROTOBUF;
}

/** An answer, and its text: of protobuf, the JSON of what it says. */
function read(bytes: Buffer, contentType: unknown): { readonly body: Body; readonly text: string } {
  if (!isProtobuf(contentType)) {
    const text = bytes.toString("utf8");
    return { body: parsed(text), text };
  }
  const body = readProtobuf(bytes) as unknown as Body;
  return { body, text: JSON.stringify(body) };
}

function withQuery(path: string, query: Query = {}): string {
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return text === "" ? path : `${path}?${text}`;
}

function parsed(text: string): Body {
  try {
    return JSON.parse(text) as Body;
  } catch {
    // Some answers are plain text; those cases look at the text.
    return {} as Body;
  }
}
