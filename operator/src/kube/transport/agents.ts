import { Agent, type Dispatcher, ProxyAgent } from "undici";
import { KUBE_CONNECT_TIMEOUT_MS, KUBE_KEEP_ALIVE_MS, TCP_KEEP_ALIVE_MS } from "../../bounds.js";
import { jsonEqual } from "../cache/equal.js";
import type { TlsMaterial } from "../config/identity.js";

/** Calls in flight at once; more wait for a free connection. */
const MAX_CALL_CONNECTIONS = 32;

export interface AgentPair {
  /** Requests with an answer; connections are reused. */
  readonly calls: Dispatcher;
  /** Each watch holds one connection for minutes and must not take one from the calls. */
  readonly watches: Dispatcher;
}

/** The sockets of one API server. New TLS material (a rotated CA or certificate) makes new ones; old watches end by themselves. */
export class Agents {
  private pair: (AgentPair & { readonly tls: TlsMaterial }) | undefined;
  private readonly retired = new Set<Dispatcher>();
  private closed = false;

  /** @param proxyUrl `undefined`: direct. */
  constructor(private readonly proxyUrl: string | undefined) {}

  for(tls: TlsMaterial): AgentPair {
    if (this.closed) throw new Error("Kubernetes client: used after close()");
    if (this.pair !== undefined && jsonEqual(this.pair.tls, tls)) return this.pair;
    if (this.pair !== undefined) this.retire(this.pair);
    this.pair = { tls, calls: this.build(tls, MAX_CALL_CONNECTIONS), watches: this.build(tls, null) };
    return this.pair;
  }

  /** Ends every request and watch and destroys every socket. */
  async close(): Promise<void> {
    this.closed = true;
    const all = [...this.retired, ...(this.pair === undefined ? [] : [this.pair.calls, this.pair.watches])];
    this.pair = undefined;
    this.retired.clear();
    await Promise.all(all.map((dispatcher) => dispatcher.destroy()));
  }

  private retire(pair: AgentPair): void {
    for (const dispatcher of [pair.calls, pair.watches]) {
      this.retired.add(dispatcher);
      // Resolves when what is under way has ended; a destroy() meanwhile makes it reject.
      dispatcher.close().then(
        () => this.retired.delete(dispatcher),
        () => this.retired.delete(dispatcher),
      );
    }
  }

  private build(tls: TlsMaterial, connections: number | null): Dispatcher {
    const connect = {
      ...withoutUndefined(tls),
      timeout: KUBE_CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
    };
    const shared = {
      connections,
      pipelining: 1,
      keepAliveTimeout: KUBE_KEEP_ALIVE_MS,
      // Deadlines are ours: one for each call, and a watchdog for each watch.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    if (this.proxyUrl === undefined) return new Agent({ ...shared, connect });
    return new ProxyAgent({ ...shared, uri: this.proxyUrl, requestTls: connect });
  }
}

function withoutUndefined({ ca, cert, key, servername, rejectUnauthorized }: TlsMaterial) {
  return {
    rejectUnauthorized,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(servername === undefined ? {} : { servername }),
  };
}
