import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { resetSocket } from "flipop-sandbox/http";
import { Agent, type Dispatcher } from "undici";

/** What happens to a request instead of being passed on. */
export type RequestFault =
  | { readonly kind: "status"; readonly code: number; readonly retryAfterSeconds?: number }
  /** Reset before any answer. */
  | { readonly kind: "reset" }
  /** Closed in an orderly way before any answer. */
  | { readonly kind: "fin" }
  /** Accepted and never answered. */
  | { readonly kind: "blackhole" }
  | { readonly kind: "delay"; readonly ms: number }
  /** Passed on with another path and query. */
  | { readonly kind: "rewrite"; readonly url: (url: string) => string };

export interface Rule {
  /** Requests whose method and URL it concerns. */
  readonly matches: (request: IncomingMessage) => boolean;
  readonly fault: RequestFault;
  /** Requests left; it is dropped at 0. */
  times: number;
}

interface Flow {
  readonly socket: Socket;
  readonly response: ServerResponse;
  readonly body: Dispatcher.ResponseData["body"];
}

/**
 * An HTTP reverse proxy that breaks things: whole requests by rules, answers under way at the socket. It speaks plain
 * HTTP to the client; `upstream` may be https.
 */
export class FaultProxy {
  readonly requests: { readonly method: string; readonly url: string }[] = [];
  private rules: Rule[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly flows = new Set<Flow>();
  private frozen = false;
  private readonly server: Server;
  private readonly agent: Agent;

  private constructor(
    private upstream: string,
    ca: string | undefined,
  ) {
    this.agent = new Agent({ connect: ca === undefined ? {} : { ca }, headersTimeout: 0, bodyTimeout: 0 });
    this.server = createServer((request, response) => {
      this.handle(request, response).catch(() => response.destroy());
    });
    this.server.on("connection", (socket) => {
      this.sockets.add(socket);
      socket.on("close", () => this.sockets.delete(socket));
      socket.on("error", () => {});
    });
  }

  /** @param ca PEM of an https upstream. */
  static async start(upstream: string, ca?: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(upstream, ca);
    await proxy.listen(0);
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Connections that clients hold open now. */
  get openSockets(): number {
    return this.sockets.size;
  }

  get openFlows(): number {
    return this.flows.size;
  }

  retarget(upstream: string): void {
    this.upstream = upstream;
  }

  /** The next `times` requests that match get the fault. @param matches @default all */
  inject(fault: RequestFault, times = 1, matches: Rule["matches"] = () => true): void {
    this.rules.push({ fault, times, matches });
  }

  heal(): void {
    this.rules = [];
    this.thaw();
  }

  /** RST on every connection. */
  resetAll(): void {
    for (const socket of this.sockets) resetSocket(socket);
  }

  /** FIN in the middle of every answer under way. */
  finAll(): void {
    for (const flow of this.flows) flow.socket.destroySoon();
  }

  /** `text` (the start of an event, say) and then FIN, in every answer under way. */
  cutAll(text: string): void {
    for (const flow of this.flows) {
      flow.response.write(text);
      flow.socket.destroySoon();
    }
  }

  /** Half-open: connections stay, nothing passes in either direction until `thaw`. */
  freeze(): void {
    this.frozen = true;
    for (const flow of this.flows) flow.body.pause();
  }

  thaw(): void {
    this.frozen = false;
    for (const flow of this.flows) flow.body.resume();
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await this.agent.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private listen(port: number): Promise<void> {
    return new Promise((resolve) => this.server.listen(port, "127.0.0.1", resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests.push({ method: request.method ?? "", url: request.url ?? "" });
    const fault = this.faultFor(request);
    if (fault !== undefined && !(await apply(fault, request, response))) return;
    if (this.frozen) return;
    await this.forward(request, response);
  }

  private faultFor(request: IncomingMessage): RequestFault | undefined {
    const rule = this.rules.find((candidate) => candidate.times > 0 && candidate.matches(request));
    if (rule === undefined) return undefined;
    rule.times--;
    return rule.fault;
  }

  private async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const controller = new AbortController();
    response.on("close", () => controller.abort());
    if (response.destroyed) return;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { host: _host, connection: _connection, "content-length": _length, ...headers } = request.headers;
    const answer = await this.agent.request({
      origin: this.upstream,
      path: request.url ?? "/",
      method: request.method as Dispatcher.HttpMethod,
      headers,
      body: chunks.length === 0 ? null : Buffer.concat(chunks),
      signal: controller.signal,
    });
    const { connection: _c, "transfer-encoding": _t, "keep-alive": _k, ...back } = answer.headers;
    response.writeHead(answer.statusCode, back).flushHeaders();
    this.pipe({ socket: request.socket, response, body: answer.body });
  }

  private pipe(flow: Flow): void {
    this.flows.add(flow);
    flow.body.on("data", (chunk: Buffer) => flow.response.write(chunk));
    flow.body.on("end", () => flow.response.end());
    flow.body.on("error", () => flow.socket.destroy());
    flow.response.on("close", () => this.flows.delete(flow));
    if (this.frozen) flow.body.pause();
  }
}

/** @returns whether the request is to be passed on after all. */
async function apply(fault: RequestFault, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  if (fault.kind === "delay") {
    await new Promise((resolve) => setTimeout(resolve, fault.ms));
    return true;
  }
  if (fault.kind === "rewrite") {
    request.url = fault.url(request.url ?? "/");
    return true;
  }
  if (fault.kind === "reset") resetSocket(request.socket);
  if (fault.kind === "fin") request.socket.end();
  if (fault.kind === "status") {
    const retry = fault.retryAfterSeconds === undefined ? {} : { "retry-after": String(fault.retryAfterSeconds) };
    const body = {
      kind: "Status",
      status: "Failure",
      code: fault.code,
      reason: `Fault${fault.code}`,
      message: "injected",
    };
    response.writeHead(fault.code, { "content-type": "application/json", ...retry }).end(JSON.stringify(body));
  }
  return false;
}
