import type { Dispatcher } from "undici";
import { KUBE_ATTEMPTS, KUBE_CALL_SECONDS } from "../bounds.js";
import { type Clock, systemClock } from "../clock.js";
import { type Logger, silentLogger } from "../logging.js";
import { Agents } from "./agents.js";
import type { KubeClient, KubeRequest, KubeStream } from "./client.js";
import type { ClusterConfig } from "./cluster-config.js";
import { Deadline } from "./deadline.js";
import { IdentitySource, type Plugin } from "./identity.js";
import { withLastCheck } from "./last-check.js";
import { toNetworkError } from "./network-error.js";
import { kubeconfigPlugin } from "./plugin-auth.js";
import { proxyFromEnv } from "./proxy.js";
import { describeRequest, requestOptions, type ServerAddress, serverAddress } from "./request-options.js";
import { parseBody, type RawResponse, readBody, toStatusError } from "./response.js";
import { retryDecision } from "./retry.js";
import { StatusError } from "./status-error.js";
import { BodyStream } from "./stream.js";

/** One attempt, for the REST-client metrics. `code` is `<error>` where there was no answer, as in client-go. */
export interface RequestSample {
  readonly method: string;
  readonly code: string;
  readonly host: string;
  /** To the headers of the answer. */
  readonly seconds: number;
}

/** Runs before each attempt of anything but a GET; what it throws (a lost lease) is the call's error. */
export type Fence = () => void;

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
  readonly beforeWrite?: Fence;
}

interface Call {
  readonly request: KubeRequest;
  readonly kind: "calls" | "watches";
  readonly fence: Fence | undefined;
  readonly deadline: Deadline;
  /** For messages. */
  readonly where: string;
  readonly maxAttempts: number;
  /** Why the last attempt was not sent. */
  refusal: Error | undefined;
}

/** A {@link KubeClient} over undici's keep-alive connections. */
export class Transport implements KubeClient {
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
  fenced(fence: Fence): KubeClient {
    return {
      request: (request) => this.requestBehind(request, fence),
      open: (request) => this.openBehind(request, fence),
    };
  }

  /** Ends all calls and watches; no socket stays. */
  close(): Promise<void> {
    return this.agents.close();
  }

  private async requestBehind<T>(request: KubeRequest, fence: Fence | undefined): Promise<T> {
    const call = this.runActions(request, "calls", fence);
    try {
      return await this.withRetries(call, async () => {
        const { body, response } = await this.send(call);
        return parseBody<T>(await this.guard(readBody(body), call), response, call);
      });
    } finally {
      call.deadline.dispose();
    }
  }

  private async openBehind(request: KubeRequest, fence: Fence | undefined): Promise<KubeStream> {
    // Waiting and resuming are the reflector's; only a rotated token is dealt with here.
    const call = this.runActions({ ...request, maxAttempts: 1 }, "watches", fence);
    try {
      const { body, response } = await this.withRetries(call, () => this.send(call));
      call.deadline.lift();
      return new BodyStream(body, call.deadline, call.where, response.contentType);
    } catch (error) {
      call.deadline.dispose();
      throw error;
    }
  }

  private runActions(request: KubeRequest, kind: Call["kind"], fence: Fence | undefined): Call {
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
  private async send(call: Call): Promise<{ body: Dispatcher.ResponseData["body"]; response: RawResponse }> {
    const { request, deadline } = call;
    const { headers, tls } = await this.identity.current();
    check(call);
    const options = requestOptions(this.address, request, { "user-agent": this.userAgent, ...headers });
    const dispatcher = withLastCheck(this.agents.for(tls)[call.kind], () => check(call));
    const pending = dispatcher.request({ ...options, signal: deadline.signal });
    const answer = await this.guard(this.measured(request, pending), call);
    const response = rawResponse(answer);
    if (response.code >= 200 && response.code <= 299) return { body: answer.body, response };
    const refusal = await this.guard(readBody(answer.body), call);
    throw toStatusError(request, response, refusal, this.clock.now());
  }

  private async measured(request: KubeRequest, pending: Promise<Dispatcher.ResponseData>) {
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

function rawResponse({ statusCode, headers }: Dispatcher.ResponseData): RawResponse {
  const single = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);
  return {
    code: statusCode,
    contentType: single(headers["content-type"]) ?? "",
    retryAfter: single(headers["retry-after"]),
  };
}
