/**
 * A small HTTP server that lets a simulated API be reached like the real one, with a journal of all requests and
 * faults on demand. It knows nothing of any API: see `SimulatorApi` for what one brings along.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "flipop-operator/clock";
import { type Logger, silentLogger } from "flipop-operator/logging";
import type { SimulatorApi } from "./api.js";
import { deliver } from "./delivery.js";
import { FaultPlan } from "./fault-plan.js";
import { Journal } from "./journal.js";
import { parseBody } from "./json.js";
import type { AnswerListener } from "./message.js";
import { type Arrival, Pipeline } from "./pipeline.js";
import type { SeededRandom } from "./random.js";
import { belowPrefix, normalPrefix, readBody } from "./read-request.js";
import { RequestMatcher } from "./request-match.js";
import { Router, routeKey } from "./router.js";

export interface SimulatorServerOptions {
  /** Every wait and every timestamp. */
  readonly clock: Clock;
  /** Request ids, faults by chance. Draw the API's own numbers from another one to keep them independent. */
  readonly random: SeededRandom;
  /** @default 127.0.0.1 */
  readonly host?: string;
  /** @default 0: any free port */
  readonly port?: number;
  /** Path in front of every route, as behind a gateway: `/some/path`. @default none */
  readonly prefix?: string;
  /** What links in answers start with. @default the address that it listens on, with the prefix */
  readonly publicUrl?: string;
  /** Requests remembered. @default 100,000 */
  readonly journalLimit?: number;
  /** @default silent */
  readonly logger?: Logger;
  /** @default no callback */
  readonly onAnswer?: AnswerListener;
}

export interface SimulatorServer {
  /** Base URL, prefix included, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  readonly journal: Journal;
  readonly faults: FaultPlan;
  /** Mistakes of the simulator itself, each answered with 500: empty, or a test must fail. */
  readonly bugs: readonly Error[];
  /** For `ms` from now, GETs show the world as it is now. */
  freezeReads(ms: number): void;
  /**
   * Ends all connections, also those that wait for an answer; the port is closed until `meanwhile` ends. Then it
   * answers at the same address, and the world is as it was.
   */
  restart(meanwhile: () => Promise<void>): Promise<void>;
  /** Ends all connections, those included that wait for an answer. */
  close(): Promise<void>;
}

const DEFAULT_JOURNAL_LIMIT = 100_000;

/** Rejects when the address can't be had. */
export async function startSimulatorServer<World>(
  api: SimulatorApi<World>,
  options: SimulatorServerOptions,
): Promise<SimulatorServer> {
  const host = options.host ?? "127.0.0.1";
  const prefix = normalPrefix(options.prefix ?? "");
  const { pipeline, journal, faults } = assemble(api, options);
  const front = new Front(api, options, pipeline);
  // Idle connections stay: one closed by wall-clock time could cut a request that the journal then does not have.
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, response) => void front.answer(incoming, response));
  await listen(server, host, options.port ?? 0, api.name);
  const { port } = server.address() as AddressInfo;
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}${prefix}`;
  front.baseUrl = (options.publicUrl ?? url).replace(/\/+$/, "");
  const freezeReads = (ms: number) => pipeline.freezeReads(ms);
  const restart = async (meanwhile: () => Promise<void>) => {
    await close(server);
    await meanwhile();
    await listen(server, host, port, api.name);
  };
  return { url, port, journal, faults, bugs: pipeline.bugs, freezeReads, restart, close: () => close(server) };
}

function assemble<World>(api: SimulatorApi<World>, options: SimulatorServerOptions) {
  const { clock, random, logger = silentLogger, journalLimit = DEFAULT_JOURNAL_LIMIT, onAnswer } = options;
  const matcher = new RequestMatcher(new Set(api.routes.map((route) => routeKey(route))));
  const journal = new Journal({ now: () => clock.now(), matcher, limit: journalLimit });
  const faults = new FaultPlan(random, matcher);
  const listener = onAnswer === undefined ? {} : { onAnswer };
  return { journal, faults, pipeline: new Pipeline({ api, clock, journal, faults, logger, ...listener }) };
}

function listen(server: Server, host: string, port: number, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      reject(new Error(`${name} simulator cannot listen on ${host}:${port}: choose another port`, { cause }));
    });
    server.listen({ host, port }, resolve);
  });
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

/** From node's request to ours and back. */
class Front<World> {
  baseUrl = "";
  private readonly router: Router<World>;
  private readonly prefix: string;

  constructor(
    api: SimulatorApi<World>,
    private readonly options: SimulatorServerOptions,
    private readonly pipeline: Pipeline<World>,
  ) {
    this.router = new Router(api.routes);
    this.prefix = normalPrefix(options.prefix ?? "");
  }

  /** Never rejects: a client that left gets nothing. */
  async answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => undefined);
    try {
      const { answer, fault } = this.pipeline.process(await this.arrival(incoming));
      await deliver({ response, answer, fault, clock: this.options.clock });
    } catch {
      response.destroy();
    }
  }

  private async arrival(incoming: IncomingMessage): Promise<Arrival<World>> {
    const text = await readBody(incoming);
    const parsed = text === "too-large" ? text : parseBody(text.read);
    const { match, ...head } = this.head(incoming);
    return typeof parsed === "object"
      ? { request: { ...head, body: parsed.value }, match }
      : { request: { ...head, body: undefined }, match, spoiled: parsed };
  }

  private head({ method = "GET", url = "/", headers }: IncomingMessage) {
    const target = belowPrefix(url, this.prefix);
    const { path, query } = target ?? { path: url, query: new URLSearchParams() };
    const match = target && this.router.find(method, path);
    const { key: route, params } = match ?? { key: undefined, params: {} };
    return {
      match,
      id: this.options.random.uuid(),
      method,
      path,
      query,
      headers,
      route,
      params,
      baseUrl: this.baseUrl,
    };
  }
}
