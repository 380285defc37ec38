import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Clock } from "flipop-operator/clock";
import { resetSocket } from "../http/reset-socket.js";
import type { Certificate } from "./certificate.js";
import { bodyWriter, type Fault, type FaultHook, faultStatus } from "./faults.js";
import { type Api, handleRequest } from "./handle-request.js";
import { statusReply, type TextReply, type WatchReply } from "./reply.js";
import { type ApiRequest, resourceRequest } from "./request.js";

/** What the HTTP server needs. */
export interface ServerOptions {
  readonly api: Api;
  readonly clock: Clock;
  /** Called for each request. */
  readonly faults: FaultHook;
  /** @default - plain HTTP */
  readonly certificate?: Certificate;
}

/** The HTTP edge of the emulator. */
export class ApiHttpServer {
  private readonly server: Server;
  /** Sockets below TLS, by the client's port: only these can be reset. */
  private readonly sockets = new Map<number, Socket>();

  constructor(private readonly options: ServerOptions) {
    const { certificate } = options;
    const listener = (request: IncomingMessage, response: ServerResponse) => void this.serve(request, response);
    this.server = certificate ? createHttpsServer({ ...certificate }, listener) : createHttpServer(listener);
    // Clients keep connections for long; the server ends none of its own accord.
    this.server.keepAliveTimeout = 0;
    this.server.requestTimeout = 0;
    this.server.on("connection", (socket: Socket) => this.track(socket));
  }

  /** Starts to listen on the loopback; resolves with the port. @param port 0: any free one */
  listen(port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once("error", reject);
      this.server.listen(port, "127.0.0.1", () => resolve((this.server.address() as AddressInfo).port));
    });
  }

  /** Connections that are open. */
  get openConnections(): number {
    return this.sockets.size;
  }

  /** Resets every connection, as a crash does. */
  resetConnections(): void {
    for (const socket of this.sockets.values()) resetSocket(socket);
  }

  /** Ends all connections and stops listening. */
  async close(): Promise<void> {
    const closed = [...this.sockets.values()].map((socket) => {
      const end = once(socket, "close");
      socket.destroy();
      return end;
    });
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
    await Promise.all(closed);
  }

  private track(socket: Socket): void {
    const { remotePort = 0 } = socket;
    this.sockets.set(remotePort, socket);
    socket.on("close", () => this.sockets.delete(remotePort));
    // A client that goes away is no error of the server.
    socket.on("error", () => {});
  }

  private async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const request = await readRequest(incoming);
      const fault = this.options.faults({ ...request, target: resourceRequest(request) });
      if (fault?.kind === "delay") await this.options.clock.sleep(fault.ms);
      this.answer(request, response, fault);
    } catch (error) {
      if (!response.headersSent) response.writeHead(500, { "content-type": "text/plain" });
      response.end(error instanceof Error ? error.message : String(error));
    }
  }

  private answer(request: ApiRequest, response: ServerResponse, fault: Fault | undefined): void {
    if (fault?.kind === "hang") return;
    if (fault?.kind === "reset") {
      this.reset(response);
      return;
    }
    const reply = fault?.kind === "status" ? statusReply(faultStatus(fault)) : handleRequest(this.options.api, request);
    if (fault?.kind === "lose-answer") this.reset(response);
    else if (reply.kind === "watch") this.stream(reply, response, fault);
    else sendText(reply, response, fault);
  }

  /** Ends a connection as a crash does: with RST, not FIN. */
  private reset(response: ServerResponse): void {
    const socket = this.sockets.get(response.socket?.remotePort ?? 0);
    if (socket !== undefined) resetSocket(socket);
  }

  private stream(reply: WatchReply, response: ServerResponse, fault: Fault | undefined): void {
    response.writeHead(200, { "content-type": reply.contentType });
    response.flushHeaders();
    const write = bodyWriter(response, fault);
    let stop = () => {};
    const sink = {
      event: (event: Parameters<WatchReply["line"]>[0]) => {
        if (!response.writableEnded && write(reply.line(event))) stop();
      },
      end: () => {
        if (!response.writableEnded) response.end();
      },
    };
    stop = reply.start(sink, this.options.clock);
    response.on("close", () => stop());
  }
}

function sendText(reply: TextReply, response: ServerResponse, fault: Fault | undefined): void {
  const { code, contentType, text, warnings, retryAfterSeconds } = reply;
  response.setHeader("content-type", contentType);
  response.setHeader("cache-control", "no-cache, private");
  if (fault?.kind !== "cut") response.setHeader("content-length", Buffer.byteLength(text));
  if (warnings.length > 0) {
    response.setHeader(
      "warning",
      warnings.map((warning) => `299 - ${JSON.stringify(warning)}`),
    );
  }
  if (retryAfterSeconds !== undefined) response.setHeader("retry-after", String(retryAfterSeconds));
  response.writeHead(code);
  const over = bodyWriter(response, fault)(text);
  if (!over) response.end();
}

async function readRequest(incoming: IncomingMessage): Promise<ApiRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { pathname, searchParams } = new URL(incoming.url ?? "/", "http://localhost");
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
  const method = incoming.method ?? "GET";
  return { method, path: pathname, query: searchParams, headers, body: Buffer.concat(chunks) };
}
