/**
 * Connections to servers over Node's own HTTP client: they stay open, and go through a proxy where one is set. Neither
 * this client nor its callers touch `fetch` or its classes: their parser is WebAssembly and takes 17 MB.
 */

import { channel } from "node:diagnostics_channel";
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { urlToHttpOptions } from "node:url";
import { omitUndefined } from "../values.js";
import { Connector, type ConnectorOptions } from "./connector.js";

/** What the server shows and what we show it; absent for the usual authorities and no certificate. */
export interface Tls {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly servername?: string | undefined;
  readonly rejectUnauthorized?: boolean | undefined;
}

export interface ConnectionsOptions extends ConnectorOptions {
  /** At once; further requests wait. @default unlimited */
  readonly connections?: number;
  /** An idle connection closes after this, or earlier where the server says so. */
  readonly keepAliveMs: number;
  readonly tls?: Tls;
}

export interface HttpRequest {
  readonly method: string;
  /** `https://host:port` */
  readonly origin: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: string | null;
  readonly signal?: AbortSignal;
  /** Called when a connection is open, right before the request is written; what it throws is the request's error. */
  readonly beforeWrite?: () => void;
}

/** The agents that a request may use, by the protocol of its server. */
interface Agents {
  readonly "http:": HttpAgent;
  readonly "https:": HttpsAgent;
}

type Cancel = (reason: unknown) => void;

/** Who follows the requests of this process subscribes to these; the message is the HttpRequest. */
export const CHANNELS = {
  /** Before anything of it is done. */
  begin: "flipop:http:begin",
  /** It has an answer, or has failed. */
  end: "flipop:http:end",
} as const;

const begins = channel(CHANNELS.begin);
const ends = channel(CHANNELS.end);

export class ConnectionsClosed extends Error {
  override readonly name = "ConnectionsClosed";

  constructor() {
    super("the connections were closed");
  }
}

export class HttpConnections {
  private readonly connector: Connector;
  private readonly agents: Agents;
  /** Of requests whose answer has not ended. */
  private readonly open = new Set<Cancel>();
  private closing: (() => void) | undefined;

  constructor(options: ConnectionsOptions) {
    const shared = {
      keepAlive: true,
      timeout: options.keepAliveMs,
      ...omitUndefined({ maxSockets: options.connections }),
    };
    this.connector = new Connector(options);
    this.agents = {
      "http:": this.connector.attach(new HttpAgent(shared)),
      "https:": this.connector.attach(new HttpsAgent({ ...shared, ...omitUndefined(options.tls ?? {}) })),
    };
  }

  /** Resolves with the answer's headers. Rejects with the network's own error, or the signal's reason. */
  async send(request: HttpRequest): Promise<IncomingMessage> {
    begins.publish(request);
    try {
      return await this.answerTo(request);
    } finally {
      ends.publish(request);
    }
  }

  /** Resolves when the last answer has ended; takes no further request. */
  async retire(): Promise<void> {
    if (this.open.size > 0) {
      await new Promise<void>((resolve) => {
        this.closing = resolve;
      });
    }
    await this.destroy();
  }

  /** Ends all requests and connections. */
  async destroy(): Promise<void> {
    for (const cancel of [...this.open]) cancel(new ConnectionsClosed());
    this.connector.close();
    for (const agent of Object.values(this.agents)) agent.destroy();
  }

  private answerTo(request: HttpRequest): Promise<IncomingMessage> {
    const { signal } = request;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const outgoing = this.begin(request);
      const cancel: Cancel = (reason) => {
        // A request that waits for a connection would report the end of it only then.
        reject(reason);
        outgoing.destroy(reason instanceof Error ? reason : undefined);
        end();
      };
      const abort = () => cancel(signal?.reason);
      const end = () => {
        signal?.removeEventListener("abort", abort);
        this.forget(cancel);
      };
      this.open.add(cancel);
      signal?.addEventListener("abort", abort, { once: true });
      outgoing.once("response", resolve).on("error", reject).once("close", end);
      outgoing.once("socket", (socket) => {
        this.connector.whenOpen(socket, () => this.write(outgoing, request));
      });
    });
  }

  private begin({ origin, path, method, headers, body }: HttpRequest): ClientRequest {
    const { protocol, hostname, port } = urlToHttpOptions(new URL(origin));
    // Node gives the body of a DELETE no length by itself, and the server would not read it.
    const length = body ? { "content-length": String(Buffer.byteLength(body)) } : {};
    const target = { protocol, hostname, port, path, method, headers: { ...headers, ...length } };
    return protocol === "https:"
      ? requestHttps({ ...target, agent: this.agents["https:"] })
      : requestHttp({ ...target, agent: this.agents["http:"] });
  }

  private write(outgoing: ClientRequest, { beforeWrite, body }: HttpRequest): void {
    if (outgoing.destroyed) return;
    try {
      beforeWrite?.();
    } catch (error) {
      outgoing.destroy(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    outgoing.end(body ?? undefined);
  }

  private forget(cancel: Cancel): void {
    this.open.delete(cancel);
    if (this.open.size === 0) this.closing?.();
  }
}
