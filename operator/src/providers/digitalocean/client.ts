/** Typed calls to DigitalOcean's API: each request passes the layers of compose.ts, each answer is checked. */

import { PROVIDERS } from "cdk8s-flipop/api";
import { failedCalls } from "../../messages/failed-calls.js";
import { SECOND_MS } from "../../timings.js";
import { type ApiCall, type Attempt, type CallContext, type CallGroup, type CallName, callText } from "../call.js";
import { brokenError, checkToken, ProviderError } from "../errors.js";
import { Answer, Connections, MalformedAnswer, type RawAnswer } from "../http.js";
import { type ListPage, readAllPages } from "../pages.js";
import type { ClientOptions } from "../registry.js";
import { refusedError } from "./to-provider-error.js";

/** As in `spec.provider`. */
export const DIGITALOCEAN = PROVIDERS.digitalocean.name;
export const DEFAULT_URL = "https://api.digitalocean.com";
/** The most that the API gives. */
const PAGE_SIZE = 200;

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** Without empty parts and without `.` and `..`, which lead to another path: an id of an answer may be anything. */
const PATH = /^(\/(?!\.{1,2}(\/|$))[^/]+)+$/;

/** One request. The path is absolute, without the base URL's own. */
export interface ApiRequest {
  readonly call: CallName;
  /** For messages: what is attempted. */
  readonly subject: string;
  readonly method: Method;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Whether sending it twice is the same as sending it once. @default true for GET, else false */
  readonly repeatable?: boolean;
  /** @default none */
  readonly group?: CallGroup;
}

/** A list request: `key` holds the items, `identify` returns the identity of one. */
export interface ListRequest<T> extends Pick<ApiRequest, "call" | "subject" | "path" | "query"> {
  readonly key: string;
  readonly read: (item: Answer) => T;
  readonly identify: (item: T) => string;
}

export class DigitalOceanClient {
  private readonly connections: Connections;
  private readonly base: string;

  constructor(private readonly options: ClientOptions) {
    this.base = options.baseUrl.replace(/\/+$/, "");
    this.connections = new Connections(this.base, options.env);
  }

  /** The token in use, for its fingerprint only. */
  token(): string {
    return this.options.credentials.token();
  }

  /** Rejects with ProviderError or NotLeaderError. `read` may throw MalformedAnswer. */
  request<T>(context: CallContext, request: ApiRequest, read: (answer: Answer) => T): Promise<T> {
    const call: ApiCall = {
      provider: DIGITALOCEAN,
      name: request.call,
      subject: request.subject,
      write: request.method !== "GET",
      repeatable: request.repeatable ?? request.method === "GET",
      ...(request.group === undefined ? {} : { group: request.group }),
      context,
    };
    if (!PATH.test(request.path)) return Promise.reject(relativePath(call));
    return this.options.run(call, (attempt) => this.attempt(call, request, attempt, read));
  }

  /** As `request`, for answers without a body. */
  async send(context: CallContext, request: ApiRequest): Promise<void> {
    await this.request(context, request, () => undefined);
  }

  /** All pages. */
  list<T>(context: CallContext, request: ListRequest<T>): Promise<readonly T[]> {
    const where = callText({ provider: DIGITALOCEAN, subject: request.subject });
    const read = (number: number) => this.page(context, request, number);
    return readAllPages({ where, changes: "creates and deletes", read });
  }

  close(): Promise<void> {
    return this.connections.close();
  }

  private page<T>(context: CallContext, request: ListRequest<T>, number: number): Promise<ListPage<T>> {
    const query = { ...request.query, page: String(number), per_page: String(PAGE_SIZE) };
    const { call, subject, path } = request;
    return this.request(context, { call, subject, path, query, method: "GET" }, (answer) => {
      const values = answer.at(request.key).items().map(request.read);
      const items = values.map((value) => ({ id: request.identify(value), value }));
      const links = answer.at("links");
      const pages = links.empty ? links : links.at("pages");
      const end = pages.empty || pages.at("next").empty;
      if (!end && items.length === 0) throw new MalformedAnswer("an empty page that is not the last");
      return { items, total: answer.at("meta").at("total").natural(), end };
    });
  }

  private async attempt<T>(
    call: ApiCall,
    request: ApiRequest,
    attempt: Attempt,
    read: (answer: Answer) => T,
  ): Promise<T> {
    const token = this.options.credentials.token();
    checkToken(token, call, PROVIDERS.digitalocean);
    try {
      const answer = await this.connections.send({ ...this.written(request, token), signal: attempt.signal });
      this.reportLimit(answer, attempt);
      if (answer.status < 200 || answer.status > 299) throw refusedError(call, answer, this.options.now());
      return read(answer.status === 204 ? Answer.of(undefined) : Answer.parse(answer.text));
    } catch (error) {
      if (error instanceof ProviderError || attempt.signal.aborted) throw error;
      throw brokenError(call, error, PROVIDERS.digitalocean);
    }
  }

  private written(request: ApiRequest, token: string) {
    const headers = {
      authorization: `Bearer ${token}`,
      accept: "application/json",
      "user-agent": this.options.userAgent,
    };
    const { method, body } = request;
    const bare = { method, url: this.url(request), headers };
    if (body === undefined) return bare;
    return { ...bare, headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) };
  }

  private url({ path, query }: ApiRequest): string {
    return `${this.base}${path}${query === undefined ? "" : `?${new URLSearchParams(query)}`}`;
  }

  private reportLimit(answer: RawAnswer, attempt: Attempt): void {
    const number = (name: string) => Number(answer.headers.get(name) ?? Number.NaN);
    const [limit, remaining] = [number("ratelimit-limit"), number("ratelimit-remaining")];
    if (!Number.isFinite(limit) || !Number.isFinite(remaining)) return;
    const reset = number("ratelimit-reset");
    attempt.sawLimit({ limit, remaining, ...(Number.isFinite(reset) ? { resetAt: reset * SECOND_MS } : {}) });
  }
}

function relativePath(call: ApiCall): ProviderError {
  return new ProviderError({
    kind: "Terminal",
    where: callText(call),
    ...failedCalls.relativePath,
    outcome: "not-sent",
  });
}
