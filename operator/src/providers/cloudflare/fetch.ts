/** `fetch` for Cloudflare's package: connections that stay open, a proxy where one is set, whole answers only. */

import { Agent, type Dispatcher, ProxyAgent } from "undici";
import { proxyFromEnv } from "../../kube/proxy.js";

type Env = Readonly<Record<string, string | undefined>>;

/** Longer answers are refused: the longest honest one, a page of 1,000 records, has about 0.6 MB. */
export const MAX_ANSWER_BYTES = 10_000_000;
const CONNECTIONS = 16;
const CONNECT_TIMEOUT_MS = 10_000;
/** Shorter than what the load balancers in front of the API allow, so that no request meets a closed connection. */
const KEEP_ALIVE_MS = 20_000;
/** What the API needs. The package would also tell it the machine's system, and whatever one more variable says. */
const SENT_HEADERS = ["authorization", "accept", "content-type", "user-agent", "api-version"];
const NO_BODY = 204;

/** The answer was cut off by us. */
export class AnswerTooLong extends Error {
  override readonly name = "AnswerTooLong";

  constructor() {
    super(`an answer of more than ${MAX_ANSWER_BYTES} bytes`);
  }
}

/** What broke a request. Neither message nor `cause` has it: the package drops errors that look like a time-out. */
export class FetchFailure extends Error {
  override readonly name = "FetchFailure";

  constructor(readonly failure: unknown) {
    super("the request failed");
  }
}

/** A function with the signature of `fetch`, and its connections. */
export class KeepAliveFetch {
  private readonly dispatcher: Dispatcher;

  /** @param env for HTTPS_PROXY and NO_PROXY. */
  constructor(baseUrl: string, env: Env) {
    this.dispatcher = dispatcherFor(proxyFromEnv(new URL(baseUrl), env));
  }

  /** Rejects with FetchFailure. The body is there whole, so that nothing waits for it without a deadline. */
  readonly fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const target = new URL(input instanceof Request ? input.url : input);
    try {
      const answer = await this.dispatcher.request({
        origin: target.origin,
        path: `${target.pathname}${target.search}`,
        method: (init.method ?? "GET") as Dispatcher.HttpMethod,
        headers: sentHeaders(new Headers(init.headers)),
        ...(typeof init.body === "string" ? { body: init.body } : {}),
        ...(init.signal ? { signal: init.signal } : {}),
      });
      const text = await readText(answer.body);
      const { statusCode: status } = answer;
      return new Response(status === NO_BODY ? null : text, { status, headers: readHeaders(answer.headers) });
    } catch (error) {
      throw new FetchFailure(error);
    }
  };

  /** Ends all requests and connections. */
  close(): Promise<void> {
    return this.dispatcher.destroy();
  }
}

function dispatcherFor(proxy: string | undefined): Dispatcher {
  const options = {
    connections: CONNECTIONS,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Deadlines are the attempt's own.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const connect = { timeout: CONNECT_TIMEOUT_MS };
  if (proxy === undefined) return new Agent({ ...options, connect });
  return new ProxyAgent({ ...options, uri: proxy, requestTls: connect });
}

function sentHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => SENT_HEADERS.includes(name)));
}

function readHeaders(headers: Dispatcher.ResponseData["headers"]): Headers {
  const read = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const item of [value ?? []].flat()) read.append(name, item);
  }
  return read;
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
