import { Agent, request } from "undici";

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

/** Speaks to an API server, real or not, and hides nothing of what it answers. */
export class ApiClient {
  private readonly agent: Agent;

  constructor(
    private readonly server: { readonly url: string; readonly ca?: string | undefined },
    private readonly token: string | undefined,
  ) {
    this.agent = new Agent({ connect: server.ca === undefined ? {} : { ca: server.ca }, bodyTimeout: 0 });
  }

  /** The same server under another token; undefined: without one. */
  as(token: string | undefined): ApiClient {
    return new ApiClient(this.server, token);
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
      headers: this.headers(contentType ?? "application/json", accept ?? "application/json"),
      body: body === undefined ? null : payload,
    });
    const text = await answer.body.text();
    const { warning = [], "content-type": type = "", "retry-after": retryAfter } = answer.headers;
    return {
      status: answer.statusCode,
      body: parsed(text),
      text,
      contentType: String(type),
      warnings: [warning].flat().map((line) => String(JSON.parse(line.slice(line.indexOf('"'))))),
      retryAfter: retryAfter === undefined ? undefined : String(retryAfter),
    };
  }

  /** Opens a watch; the answer may also be a refusal, which comes as one line. */
  async watch(path: string, query: Query = {}, accept = "application/json"): Promise<Watch> {
    const controller = new AbortController();
    const answer = await request(this.server.url + withQuery(path, { watch: true, ...query }), {
      method: "GET",
      dispatcher: this.agent,
      headers: this.headers("application/json", accept),
      signal: controller.signal,
    });
    return new Watch(answer.statusCode, answer.body, controller);
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

/** The events of a watch, one by one. */
export class Watch {
  private buffered = "";
  private readonly chunks: AsyncIterator<Uint8Array>;

  constructor(
    readonly status: number,
    body: AsyncIterable<Uint8Array>,
    private readonly controller: AbortController,
  ) {
    this.chunks = body[Symbol.asyncIterator]();
  }

  /** The next event; undefined: the server has ended the watch. */
  async next(): Promise<Event | undefined> {
    for (;;) {
      const end = this.buffered.indexOf("\n");
      if (end >= 0) {
        const line = this.buffered.slice(0, end);
        this.buffered = this.buffered.slice(end + 1);
        return JSON.parse(line) as Event;
      }
      const chunk = await this.chunks.next();
      if (chunk.done) return undefined;
      this.buffered += Buffer.from(chunk.value).toString("utf8");
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
