/** One HTTP request to DigitalOcean and the raw answer, over connections that stay open. */

import { Agent, type Dispatcher, ProxyAgent } from "undici";
import { proxyFromEnv } from "../../kube/proxy.js";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

export interface RawRequest {
  readonly method: Method;
  readonly url: string;
  readonly token: string;
  /** Sent as JSON. */
  readonly body?: object;
  readonly signal: AbortSignal;
}

export interface RawAnswer {
  readonly status: number;
  readonly text: string;
  /** The first value of a header. */
  header(name: string): string | undefined;
}

/** Longer answers are refused: the longest honest one, 200 addresses with their droplets, has about 1 MB. */
export const MAX_ANSWER_BYTES = 10_000_000;
const CONNECTIONS = 16;
const CONNECT_TIMEOUT_MS = 10_000;
/** Shorter than what the load balancers in front of the API allow, so that no request meets a closed connection. */
const KEEP_ALIVE_MS = 20_000;

/** The answer was cut off by us. */
export class AnswerTooLong extends Error {
  override readonly name = "AnswerTooLong";

  constructor() {
    super(`an answer of more than ${MAX_ANSWER_BYTES} bytes`);
  }
}

export class HttpAgent {
  private readonly dispatcher: Dispatcher;

  /** @param env for HTTPS_PROXY and NO_PROXY. */
  constructor(
    baseUrl: string,
    private readonly userAgent: string,
    env: Readonly<Record<string, string | undefined>>,
  ) {
    const proxy = proxyFromEnv(new URL(baseUrl), env);
    const options = {
      connections: CONNECTIONS,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Deadlines are the attempt's own.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    const connect = { timeout: CONNECT_TIMEOUT_MS };
    this.dispatcher =
      proxy === undefined
        ? new Agent({ ...options, connect })
        : new ProxyAgent({ ...options, uri: proxy, requestTls: connect });
  }

  /** Rejects with the network's own error, AnswerTooLong, or the signal's reason. */
  async send({ method, url, token, body, signal }: RawRequest): Promise<RawAnswer> {
    const target = new URL(url);
    const answer = await this.dispatcher.request({
      origin: target.origin,
      path: `${target.pathname}${target.search}`,
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: "application/json",
        "user-agent": this.userAgent,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    });
    const text = await readText(answer.body);
    const header = (name: string) => {
      const value = answer.headers[name];
      return Array.isArray(value) ? value[0] : value;
    };
    return { status: answer.statusCode, text, header };
  }

  /** Ends all requests and connections. */
  close(): Promise<void> {
    return this.dispatcher.destroy();
  }
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
