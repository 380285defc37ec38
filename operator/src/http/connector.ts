/** How a connection opens: within a time, with TCP keep-alive, and through the tunnel of a proxy (CONNECT) where the environment sets one. */

import { type Agent, type ClientRequestArgs, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { BlockList, isIP, isIPv6, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import { urlToHttpOptions } from "node:url";
import { withScheme } from "cdk8s-flipop/api";
import { systemClock } from "../clock.js";

export interface ConnectorOptions {
  /** Until a connection is open, TLS and the proxy's answer included. */
  readonly connectTimeoutMs: number;
  /** Before the first TCP probe. @default no probes */
  readonly tcpKeepAliveMs?: number;
  /** @default a direct connection */
  readonly proxyUrl?: string | undefined;
}

type Done = (error: Error | null, socket: Duplex) => void;

export class Connector {
  private readonly opened = new WeakSet<Socket>();
  private readonly over = new AbortController();

  constructor(private readonly options: ConnectorOptions) {}

  /** The agent opens its connections this way from now on. */
  attach<A extends Agent>(agent: A): A {
    const connect = agent.createConnection.bind(agent) as (target: ClientRequestArgs) => Socket;
    const { proxyUrl } = this.options;
    agent.createConnection = (target: ClientRequestArgs, done?: Done) => {
      if (proxyUrl === undefined) return this.opening(connect(target));
      openTunnel(new URL(proxyUrl), target, { ms: this.options.connectTimeoutMs, signal: this.over.signal }).then(
        (socket) =>
          done?.(
            null,
            this.inTunnel(agent, socket, () => connect(withSocket(target, socket))),
          ),
        (error: Error) => (done as ((error: Error) => void) | undefined)?.(error),
      );
      return undefined;
    };
    return agent;
  }

  /** Calls back once the socket is open, TLS included; at once for a socket that is used again. */
  whenOpen(socket: Socket, use: () => void): void {
    if (this.opened.has(socket)) use();
    else socket.once(openEvent(socket), use);
  }

  /** Abandons tunnels that are not open yet. */
  close(): void {
    this.over.abort(new Error("the connections were closed"));
  }

  private inTunnel(agent: Agent, socket: Socket, connectTls: () => Socket): Socket {
    if ((agent as { protocol?: string }).protocol === "https:") return this.opening(connectTls());
    this.opened.add(socket);
    return socket;
  }

  private opening(socket: Socket): Socket {
    const { connectTimeoutMs: ms, tcpKeepAliveMs } = this.options;
    const late = () => socket.destroy(new ConnectError(CONNECT_TIMEOUT, `no connection within ${ms / 1000} s`));
    const timer = systemClock.setTimer(ms, late);
    socket.once("close", () => timer.cancel());
    socket.once(openEvent(socket), () => {
      timer.cancel();
      if (tcpKeepAliveMs !== undefined) socket.setKeepAlive(true, tcpKeepAliveMs);
      this.opened.add(socket);
    });
    return socket;
  }
}

function openEvent(socket: Socket): "secureConnect" | "connect" {
  return socket instanceof TLSSocket ? "secureConnect" : "connect";
}

/** TLS over a tunnel. */
function withSocket(target: ClientRequestArgs, socket: Socket): ClientRequestArgs {
  return { ...target, socket } as ClientRequestArgs;
}

/** The codes of our own errors, beside those of Node. */
export const CONNECT_TIMEOUT = "ERR_CONNECT_TIMEOUT";
export const PROXY_REFUSED = "ERR_PROXY_REFUSED";

/** No connection, so nothing was sent. */
class ConnectError extends Error {
  override readonly name = "ConnectError";

  constructor(
    readonly code: typeof CONNECT_TIMEOUT | typeof PROXY_REFUSED,
    message: string,
  ) {
    super(message);
  }
}

export interface TunnelLimits {
  /** Until the proxy has answered. */
  readonly ms: number;
  readonly signal: AbortSignal;
}

type Target = Pick<ClientRequestArgs, "host" | "port">;

function openTunnel(proxy: URL, target: Target, { ms, signal }: TunnelLimits): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const request = askFor(proxy, target);
    const late = () =>
      request.destroy(new ConnectError(CONNECT_TIMEOUT, `no answer of the proxy within ${ms / 1000} s`));
    const timer = systemClock.setTimer(ms, late);
    const abort = () => request.destroy(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    request.once("close", () => {
      timer.cancel();
      signal.removeEventListener("abort", abort);
    });
    request.on("error", reject).once("connect", ({ statusCode = 0 }, socket: Socket, head) => {
      if (statusCode >= 200 && statusCode <= 299) {
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(new ConnectError(PROXY_REFUSED, `the proxy ${proxy.host} answered ${statusCode} to CONNECT`));
    });
    request.end();
  });
}

function askFor(proxy: URL, { host, port }: Target) {
  const { protocol, hostname, port: proxyPort } = urlToHttpOptions(proxy);
  const authority = `${isIPv6(host ?? "") ? `[${host}]` : host}:${port}`;
  const headers = { host: authority, ...authorization(proxy) };
  const options = { protocol, hostname, port: proxyPort, method: "CONNECT", path: authority, headers, agent: false };
  return protocol === "https:" ? requestHttps(options) : requestHttp(options);
}

function authorization({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "") return {};
  const credentials = [username, password].map(decodeURIComponent).join(":");
  return { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` };
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a URL by the variables that Go clients honour: HTTPS_PROXY for https, HTTP_PROXY for http, either
 * case, NO_PROXY with hosts, domains (`example.com` and `.example.com`), `host:port`, addresses, CIDRs and `*`.
 * localhost and loopback addresses are never proxied.
 */
export function proxyFromEnv(url: URL, env: Env): string | undefined {
  const name = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const proxy = variable(env, name);
  if (proxy === undefined || isLocal(hostOf(url)) || isExcluded(url, variable(env, "NO_PROXY") ?? "")) return undefined;
  return withScheme(proxy);
}

function variable(env: Env, name: string): string | undefined {
  return env[name] || env[name.toLowerCase()] || undefined;
}

/** Without the brackets of IPv6. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "").toLowerCase();
}

function isLocal(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

function isExcluded(url: URL, noProxy: string): boolean {
  const rules = noProxy
    .split(",")
    .map((rule) => rule.trim().toLowerCase())
    .filter((rule) => rule !== "");
  return rules.some((rule) => matches(url, rule));
}

function matches(url: URL, rule: string): boolean {
  const host = hostOf(url);
  if (rule === "*") return true;
  if (rule.includes("/")) return inCidr(host, rule);
  const [name, port] = splitPort(rule);
  if (port !== undefined && port !== portOf(url)) return false;
  if (isIP(name) !== 0) return host === name;
  const domain = name.replace(/^\*?\./, "");
  return host.endsWith(`.${domain}`) || (host === domain && !name.startsWith("."));
}

function splitPort(rule: string): [string, string | undefined] {
  if (isIP(rule) !== 0) return [rule, undefined];
  const found = /^\[?([^\]]*?)\]?:(\d+)$/.exec(rule);
  return found?.[1] === undefined ? [rule.replace(/^\[|\]$/g, ""), undefined] : [found[1], found[2]];
}

function portOf(url: URL): string {
  if (url.port !== "") return url.port;
  return url.protocol === "https:" ? "443" : "80";
}

function inCidr(host: string, cidr: string): boolean {
  const [base = "", bits = ""] = cidr.split("/");
  const family = isIP(host);
  if (family === 0 || isIP(base) !== family || !/^\d{1,3}$/.test(bits)) return false;
  if (Number(bits) > (family === 4 ? 32 : 128)) return false;
  const block = new BlockList();
  const kind = family === 4 ? "ipv4" : "ipv6";
  block.addSubnet(base, Number(bits), kind);
  return block.check(host, kind);
}
