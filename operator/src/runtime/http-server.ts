/** The two small servers of the process: metrics on one address, health and readiness, as named checks, on another. */

import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger } from "../logging.js";
import type { MetricsRegistry } from "../metrics/registry.js";
import { HTTP_REQUEST_TIMEOUT_MS } from "../timings.js";

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Answers a GET. */
export type Route = (query: URLSearchParams) => Promise<Answer> | Answer;

interface BindAddress {
  /** Absent: all addresses. */
  readonly host?: string;
  /** 0: any free port. */
  readonly port: number;
}

interface HttpServerOptions {
  readonly name: string;
  /** `:8080`, `127.0.0.1:8080`, `[::1]:8080`; empty: off. */
  readonly bind: string;
  /** By exact path. */
  readonly routes: Readonly<Record<string, Route>>;
  readonly logger: Logger;
}

const TEXT = "text/plain; charset=utf-8";
/** A scraper or a kubelet sends a few lines and is alone or nearly so. */
const MAX_CONNECTIONS = 64;
const MAX_HEADER_BYTES = 8_192;
const MAX_PORT = 65_535;

export class SmallHttpServer {
  readonly name: string;
  private server: HttpServer | undefined;

  constructor(private readonly options: HttpServerOptions) {
    this.name = options.name;
  }

  /** The port in use; undefined while the server is off. */
  get port(): number | undefined {
    return (this.server?.address() as AddressInfo | null | undefined)?.port;
  }

  /** Rejects where the address cannot be had. Does nothing where the address is empty. */
  async start(): Promise<void> {
    const address = parseBind(this.options.bind);
    if (address === undefined) return;
    const server = createServer(
      {
        requestTimeout: HTTP_REQUEST_TIMEOUT_MS,
        headersTimeout: HTTP_REQUEST_TIMEOUT_MS,
        maxHeaderSize: MAX_HEADER_BYTES,
      },
      (request, response) => void this.answer(request, response),
    );
    server.maxConnections = MAX_CONNECTIONS;
    await new Promise<void>((resolve, reject) => {
      server.once("error", (error) => reject(this.bindError(error)));
      server.listen({ ...address }, resolve);
    });
    server.on("error", (error) => this.options.logger.error({ server: this.name, error }, "server error"));
    this.server = server;
    this.options.logger.info({ server: this.name, port: this.port }, "server listens");
  }

  /** Ends every connection, idle or not. */
  async stop(): Promise<void> {
    const { server } = this;
    if (server === undefined) return;
    this.server = undefined;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  /** Never rejects. */
  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, contentType, body } = await this.find(request);
    response.writeHead(status, {
      "content-type": contentType,
      "content-length": Buffer.byteLength(body),
      "x-content-type-options": "nosniff",
      ...(status === 405 ? { allow: "GET, HEAD" } : {}),
    });
    response.end(request.method === "HEAD" ? undefined : body);
  }

  private async find(request: IncomingMessage): Promise<Answer> {
    if (request.method !== "GET" && request.method !== "HEAD") return plain(405, "only GET is answered here\n");
    const [path = "/", query = ""] = (request.url ?? "/").split("?", 2);
    const route = this.options.routes[path];
    if (route === undefined) return plain(404, `not found; there is ${Object.keys(this.options.routes).join(", ")}\n`);
    try {
      return await route(new URLSearchParams(query));
    } catch (error) {
      this.options.logger.error({ server: this.name, path, error }, "request failed");
      return plain(500, "internal error; the log says more\n");
    }
  }

  private bindError(error: Error): Error {
    const { bind } = this.options;
    const remedy = `give another address with --${this.name}-bind-addr`;
    return new Error(`${this.name} server cannot listen on "${bind}": ${remedy}`, { cause: error });
  }
}

/** Throws with the value seen. Empty and `0` (as controller-runtime has it) mean off: undefined. */
export function parseBind(bind: string): BindAddress | undefined {
  if (bind === "" || bind === "0") return undefined;
  const match = /^(\[[0-9a-fA-F:.]+\]|[^:[\]]*):(\d{1,5})$/.exec(bind);
  const port = Number(match?.[2]);
  if (match === null || port > MAX_PORT) {
    throw new Error(`bind address "${bind}" is not understood: use ":8080", "127.0.0.1:8080", "[::1]:8080" or ""`);
  }
  const host = (match[1] ?? "").replace(/^\[|\]$/g, "");
  return host === "" ? { port } : { host, port };
}

/** `/metrics`. */
export function metricsRoutes(registry: MetricsRegistry): Readonly<Record<string, Route>> {
  return {
    "/metrics": async () => ({ status: 200, contentType: registry.contentType, body: await registry.text() }),
  };
}

/** `/healthz` and `/readyz`, with `?verbose` and `?exclude=name` as the API server has them. */
export function healthRoutes(health: Health): Readonly<Record<string, Route>> {
  const route = (kind: HealthKind) => (query: URLSearchParams) => {
    const { ok, text } = health.report(kind, { verbose: query.has("verbose"), exclude: query.getAll("exclude") });
    return plain(ok ? 200 : 500, text);
  };
  return { "/healthz": route("healthz"), "/readyz": route("readyz") };
}

function plain(status: number, body: string): Answer {
  return { status, contentType: TEXT, body };
}

/** What is wrong, for people; undefined where all is well. Never blocks. */
export type Check = () => string | undefined;

type HealthKind = "healthz" | "readyz";

interface HealthReport {
  readonly ok: boolean;
  /** `ok`, or one line for each check: `[+]caches ok`, `[-]caches failed: nodes have not synced`. */
  readonly text: string;
}

interface ReportOptions {
  /** One line for each check even where all is well. Failures are always listed. */
  readonly verbose?: boolean;
  /** Names of checks to leave out. */
  readonly exclude?: readonly string[];
}

export class Health {
  private readonly checks = { healthz: new Map<string, Check>(), readyz: new Map<string, Check>() };

  /** @param name for people and for `?exclude=`; a check of the same name is replaced. */
  add(kind: HealthKind, name: string, check: Check): void {
    this.checks[kind].set(name, check);
  }

  report(kind: HealthKind, { verbose = false, exclude = [] }: ReportOptions = {}): HealthReport {
    const results = [...this.checks[kind]]
      .filter(([name]) => !exclude.includes(name))
      .map(([name, check]) => ({ name, reason: reasonOf(check) }));
    const ok = results.every(({ reason }) => reason === undefined);
    if (ok && !verbose) return { ok, text: "ok" };
    const lines = results.map(({ name, reason }) =>
      reason === undefined ? `[+]${name} ok` : `[-]${name} failed: ${reason}`,
    );
    return { ok, text: [...lines, `${kind} check ${ok ? "passed" : "failed"}`, ""].join("\n") };
  }
}

function reasonOf(check: Check): string | undefined {
  try {
    return check();
  } catch (error) {
    return `the check itself failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}
