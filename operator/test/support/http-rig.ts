import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect } from "chai";
import type { KubeRequest } from "../../src/kube/client.js";
import type { ClusterConfig } from "../../src/kube/config/cluster-config.js";
import { type RequestSample, Transport } from "../../src/kube/transport/transport.js";
import { plainConfig } from "./kube/reflector-rig.js";
import { scaledClock } from "./time/scaled-clock.js";
import { until } from "./time/until.js";

export type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

export const GET: KubeRequest = { method: "GET", path: "/api/v1/nodes/n" };
export const PATCH: KubeRequest = { method: "PATCH", path: "/api/v1/nodes/n", body: { a: 1 } };

export function answer(
  response: ServerResponse,
  code: number,
  body: unknown = {},
  headers: Record<string, string> = {},
): void {
  response.writeHead(code, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** What `work` rejects with; fails when it does not. */
export function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.fail("did not reject"),
    (error: unknown) => error,
  );
}

/** An HTTP server that answers as the test says, and transports to it. */
export class HttpRig {
  readonly clock = scaledClock(50);
  readonly sockets = new Set<Socket>();
  readonly seen: IncomingMessage[] = [];
  readonly samples: RequestSample[] = [];
  handler: Handler = (_request, response) => answer(response, 200, { ok: true });
  readonly server: Server;
  private readonly transports: Transport[] = [];

  private constructor() {
    this.server = createServer((request, response) => {
      this.seen.push(request);
      let body = "";
      request.on("data", (chunk) => {
        body += String(chunk);
      });
      request.on("end", () => this.handler(request, response, body));
    });
    this.server.on("connection", (socket) => {
      this.sockets.add(socket);
      socket.on("close", () => this.sockets.delete(socket));
    });
  }

  static async create(): Promise<HttpRig> {
    const rig = new HttpRig();
    await new Promise<void>((resolve) => rig.server.listen(0, "127.0.0.1", resolve));
    return rig;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  transport(config: Partial<ClusterConfig> = {}, more: { readonly beforeWrite?: () => void } = {}): Transport {
    const onRequest = (sample: RequestSample) => this.samples.push(sample);
    const { clock } = this;
    const transport = new Transport({
      config: { ...plainConfig(this.url), ...config },
      clock,
      env: {},
      onRequest,
      ...more,
    });
    this.transports.push(transport);
    return transport;
  }

  /** Closes the transports, and fails if a socket or timer of theirs is left. */
  async close(): Promise<void> {
    await Promise.all(this.transports.map((transport) => transport.close()));
    await until("no socket is left after close", () => this.sockets.size === 0);
    expect(this.clock.pendingTimers).to.equal(0);
    await new Promise((resolve) => this.server.close(resolve));
  }
}
