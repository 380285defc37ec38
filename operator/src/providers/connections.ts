/** Connections to one API: they stay open, go through a proxy where one is set, and give whole answers only. */

import { Agent, type Dispatcher, ProxyAgent } from "undici";
import { CLOUD_CONNECT_TIMEOUT_MS, CLOUD_CONNECTIONS, CLOUD_KEEP_ALIVE_MS, MAX_ANSWER_BYTES } from "../bounds.js";
import { proxyFromEnv } from "../kube/transport/proxy.js";

/** The answer was cut off by us. */
export class AnswerTooLong extends Error {
  override readonly name = "AnswerTooLong";

  constructor() {
    super(`an answer of more than ${MAX_ANSWER_BYTES} bytes`);
  }
}

export interface RawRequest {
  readonly method: Dispatcher.HttpMethod;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export class Connections {
  private readonly dispatcher: Dispatcher;

  /** @param env for HTTPS_PROXY and NO_PROXY. */
  constructor(baseUrl: string, env: Readonly<Record<string, string | undefined>>) {
    const proxy = proxyFromEnv(new URL(baseUrl), env);
    const options = {
      connections: CLOUD_CONNECTIONS,
      pipelining: 1,
      keepAliveTimeout: CLOUD_KEEP_ALIVE_MS,
      // Deadlines are the attempt's own.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    const connect = { timeout: CLOUD_CONNECT_TIMEOUT_MS };
    this.dispatcher =
      proxy === undefined
        ? new Agent({ ...options, connect })
        : new ProxyAgent({ ...options, uri: proxy, requestTls: connect });
  }

  /** Rejects with the network's own error, AnswerTooLong, or the signal's reason. Follows no redirect. */
  async send({ url, ...request }: RawRequest): Promise<RawAnswer> {
    const target = new URL(url);
    const path = `${target.pathname}${target.search}`;
    const answer = await this.dispatcher.request({ ...request, origin: target.origin, path });
    return { status: answer.statusCode, headers: readHeaders(answer.headers), text: await readText(answer.body) };
  }

  /** Ends all requests and connections. */
  close(): Promise<void> {
    return this.dispatcher.destroy();
  }
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
