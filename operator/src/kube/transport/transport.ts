import type { IncomingMessage } from "node:http";
import { type Clock, systemClock } from "../../clock.js";
import { HttpConnections } from "../../http/connections.js";
import { proxyFromEnv } from "../../http/connector.js";
import { type Logger, silentLogger } from "../../logging.js";
import {
  KUBE_ATTEMPTS,
  KUBE_CALL_SECONDS,
  KUBE_CONNECT_TIMEOUT_MS,
  KUBE_KEEP_ALIVE_MS,
  TCP_KEEP_ALIVE_MS,
} from "../../timings.js";
import { omitUndefined } from "../../values.js";
import { type KubeClient, type KubeRequest, type KubeStream, StatusError } from "../client.js";
import type { ClusterConfig } from "../config/cluster-config.js";
import { IdentitySource, kubeconfigPlugin, type Plugin, type TlsMaterial } from "../config/identity.js";
import { jsonEqual } from "../objects.js";
import { Deadline, retryDecision, toNetworkError } from "./failures.js";
import {
  BodyStream,
  describeRequest,
  parseBody,
  type RawResponse,
  readBody,
  requestOptions,
  type ServerAddress,
  serverAddress,
  toStatusError,
} from "./wire.js";

/** One attempt, for the REST-client metrics. `code` is `<error>` where there was no answer, as in client-go. */
export interface RequestSample {
  readonly method: string;
  readonly code: string;
  readonly host: string;
  /** To the headers of the answer. */
  readonly seconds: number;
}

/** Runs before each attempt of anything but a GET; what it throws (a lost lease) is the call's error. */
export type WriteGuard = () => void;

export interface TransportProps {
  readonly config: ClusterConfig;
  /** For HTTPS_PROXY, HTTP_PROXY, NO_PROXY. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** @default systemClock */
  readonly clock?: Clock;
  /** In [0, 1), for jitter. @default Math.random */
  readonly random?: () => number;
  /** @default silent */
  readonly logger?: Logger;
  /** @default flipop-operator */
  readonly userAgent?: string;
  /** @default nothing */
  readonly onRequest?: (sample: RequestSample) => void;
  /** For all writes of this transport; see also {@link Transport.fenced}. @default none */
  readonly beforeWrite?: WriteGuard;
}

interface Call {
  readonly request: KubeRequest;
  readonly kind: "calls" | "watches";
  readonly fence: WriteGuard | undefined;
  readonly deadline: Deadline;
  /** For messages. */
  readonly where: string;
  readonly maxAttempts: number;
  /** Why the last attempt was not sent. */
  refusal: Error | undefined;
}

/** A client that also exists behind a fence. */
export interface FencedClient extends KubeClient {
  fenced(fence: WriteGuard): KubeClient;
}

/** A {@link KubeClient} over connections that stay open. */
export class Transport implements FencedClient {
  private readonly agents: Agents;
  private readonly identity: IdentitySource;
  private readonly clock: Clock;
  private readonly address: ServerAddress;

  constructor(private readonly props: TransportProps) {
    const { config } = props;
    this.clock = props.clock ?? systemClock;
    this.address = serverAddress(config.server);
    this.agents = new Agents(config.proxyUrl ?? proxyFromEnv(new URL(config.server), props.env ?? process.env));
    this.identity = new IdentitySource({
      config,
      clock: this.clock,
      logger: props.logger ?? silentLogger,
      plugin: pluginOf(config),
    });
  }

  request<T>(request: KubeRequest): Promise<T> {
    return this.requestBehind<T>(request, this.props.beforeWrite);
  }

  open(request: KubeRequest): Promise<KubeStream> {
    return this.openBehind(request, this.props.beforeWrite);
  }

  /** The same connections behind a fence. The transport itself stays as it is, for the lease's own writes. */
  fenced(fence: WriteGuard): KubeClient {
    return {
      request: (request) => this.requestBehind(request, fence),
      open: (request) => this.openBehind(request, fence),
    };
  }

  /** Ends all calls and watches; no socket stays. */
  close(): Promise<void> {
    return this.agents.close();
  }

  private async requestBehind<T>(request: KubeRequest, fence: WriteGuard | undefined): Promise<T> {
    const call = this.callOf(request, "calls", fence);
    try {
      return await this.withRetries(call, async () => {
        const { body, response } = await this.send(call);
        return parseBody<T>(await this.guard(readBody(body), call), response, call);
      });
    } finally {
      call.deadline.dispose();
    }
  }

  private async openBehind(request: KubeRequest, fence: WriteGuard | undefined): Promise<KubeStream> {
    // Waiting and resuming are the reflector's; only a rotated token is dealt with here.
    const call = this.callOf({ ...request, maxAttempts: 1 }, "watches", fence);
    try {
      const { body, response } = await this.withRetries(call, () => this.send(call));
      call.deadline.lift();
      return new BodyStream(body, call.deadline, call.where, response.contentType);
    } catch (error) {
      call.deadline.dispose();
      throw error;
    }
  }

  private callOf(request: KubeRequest, kind: Call["kind"], fence: WriteGuard | undefined): Call {
    const where = describeRequest(this.address, request, this.props.config.source);
    const seconds = request.deadlineSeconds ?? KUBE_CALL_SECONDS;
    const deadline = new Deadline(this.clock, seconds, where, request.signal);
    const maxAttempts = request.maxAttempts ?? KUBE_ATTEMPTS;
    return { request, kind, fence, deadline, where, maxAttempts, refusal: undefined };
  }

  private async withRetries<R>(call: Call, send: () => Promise<R>): Promise<R> {
    const { deadline, maxAttempts } = call;
    let renewed = false;
    for (let attempt = 1; ; attempt++) {
      try {
        return await send();
      } catch (error) {
        deadline.signal.throwIfAborted();
        const random = (this.props.random ?? Math.random)();
        const next = retryDecision({ method: call.request.method, error, attempt, maxAttempts, renewed, random });
        if (next.kind === "give-up" || next.delayMs >= deadline.remainingMs) throw error;
        if (next.kind === "renew") {
          this.identity.reject();
          renewed = true;
        }
        if (next.delayMs > 0) await this.clock.sleep(next.delayMs, deadline.signal);
      }
    }
  }

  /** One attempt, up to the headers of a 2xx. Anything else becomes an error. */
  private async send(call: Call): Promise<{ body: IncomingMessage; response: RawResponse }> {
    const { request, deadline } = call;
    const { headers, tls } = await this.identity.current();
    check(call);
    const options = requestOptions(this.address, request, { "user-agent": this.userAgent, ...headers });
    // Opening a connection takes time, and a process that was stalled meanwhile runs I/O before timers: no deadline's
    // timer would stop it from writing with a lease that is long over.
    const sent = { ...options, signal: deadline.signal, beforeWrite: () => check(call) };
    const body = await this.guard(this.measured(request, this.agents.for(tls)[call.kind].send(sent)), call);
    const response = rawResponse(body);
    if (response.code >= 200 && response.code <= 299) return { body, response };
    const refusal = await this.guard(readBody(body), call);
    throw toStatusError(request, response, refusal, this.clock.now());
  }

  private async measured(request: KubeRequest, pending: Promise<IncomingMessage>) {
    const start = this.clock.monotonic();
    let code = "<error>";
    try {
      const answer = await pending;
      code = String(answer.statusCode);
      return answer;
    } finally {
      const seconds = (this.clock.monotonic() - start) / 1000;
      this.props.onRequest?.({ method: request.method, code, host: this.address.host, seconds });
    }
  }

  private async guard<R>(work: Promise<R>, call: Call): Promise<R> {
    const { deadline, where } = call;
    try {
      return await work;
    } catch (error) {
      if (call.refusal !== undefined) throw call.refusal;
      deadline.signal.throwIfAborted();
      throw error instanceof StatusError ? error : toNetworkError(error, where);
    }
  }

  private get userAgent(): string {
    return this.props.userAgent ?? "flipop-operator";
  }
}

/** Whether a call may be sent now. */
function check(call: Call): void {
  try {
    call.deadline.check();
    if (call.request.method !== "GET") call.fence?.();
  } catch (error) {
    // Anything else is a caller's reason for an abort, which its signal keeps.
    if (error instanceof Error) call.refusal = error;
    throw error;
  }
}

function pluginOf({ auth }: ClusterConfig): Plugin | undefined {
  return auth.kind === "plugin" ? kubeconfigPlugin(auth.kubeconfig, auth.context) : undefined;
}

function rawResponse({ statusCode = 0, headers }: IncomingMessage): RawResponse {
  return { code: statusCode, contentType: headers["content-type"] ?? "", retryAfter: headers["retry-after"] };
}

/** Calls in flight at once; more wait for a free connection. */
const MAX_CALL_CONNECTIONS = 32;

interface AgentPair {
  /** Requests with an answer; connections are reused. */
  readonly calls: HttpConnections;
  /** Each watch holds one connection for minutes and must not take one from the calls. */
  readonly watches: HttpConnections;
}

/** The sockets of one API server. New TLS material (a rotated CA or certificate) makes new ones; old watches end by themselves. */
class Agents {
  private pair: (AgentPair & { readonly tls: TlsMaterial }) | undefined;
  private readonly retired = new Set<HttpConnections>();
  private closed = false;

  /** @param proxyUrl `undefined`: direct. */
  constructor(private readonly proxyUrl: string | undefined) {}

  for(tls: TlsMaterial): AgentPair {
    if (this.closed) throw new Error("Kubernetes client: used after close()");
    if (this.pair !== undefined && jsonEqual(this.pair.tls, tls)) return this.pair;
    if (this.pair !== undefined) this.retire(this.pair);
    this.pair = { tls, calls: this.build(tls, MAX_CALL_CONNECTIONS), watches: this.build(tls, undefined) };
    return this.pair;
  }

  /** Ends every request and watch and destroys every socket. */
  async close(): Promise<void> {
    this.closed = true;
    const all = [...this.retired, ...(this.pair === undefined ? [] : [this.pair.calls, this.pair.watches])];
    this.pair = undefined;
    this.retired.clear();
    await Promise.all(all.map((connections) => connections.destroy()));
  }

  private retire({ calls, watches }: AgentPair): void {
    for (const connections of [calls, watches]) {
      this.retired.add(connections);
      void connections.retire().finally(() => this.retired.delete(connections));
    }
  }

  private build(tls: TlsMaterial, connections: number | undefined): HttpConnections {
    return new HttpConnections({
      tls,
      keepAliveMs: KUBE_KEEP_ALIVE_MS,
      connectTimeoutMs: KUBE_CONNECT_TIMEOUT_MS,
      tcpKeepAliveMs: TCP_KEEP_ALIVE_MS,
      proxyUrl: this.proxyUrl,
      ...omitUndefined({ connections }),
    });
  }
}
