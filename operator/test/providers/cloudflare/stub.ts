/** A server that answers what a test says, in Cloudflare's place. */

import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import type { CallRunner } from "../../../src/providers/call.js";
import { cloudflare } from "../../../src/providers/cloudflare/index.js";
import { direct } from "../../../src/providers/layers/deadlines-and-retries.js";
import type { DnsProvider } from "../../../src/providers/types.js";

export interface StubAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent as it is, anything else as JSON. */
  readonly body: unknown;
}

export interface StubProviderOptions {
  /** @default the stub itself */
  readonly baseUrl?: string;
  /** @default no proxy */
  readonly env?: Readonly<Record<string, string>>;
  /** @default stub-token */
  readonly token?: string;
  /** @default direct */
  readonly run?: CallRunner;
}

export interface Stub {
  readonly url: string;
  readonly seen: readonly { readonly method: string; readonly url: string; readonly headers: IncomingHttpHeaders }[];
  provider(options?: StubProviderOptions): DnsProvider;
  close(): Promise<void>;
}

export const ZONE_ID = "0123456789abcdef0123456789abcdef";
export const NOW = Date.UTC(2025, 0, 1);

/** @param answer is given the path with its query. */
export async function startStub(answer: (path: string, method: string) => StubAnswer): Promise<Stub> {
  const seen: { method: string; url: string; headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    const { method = "", url = "", headers: sent } = request;
    seen.push({ method, url, headers: sent });
    const { status = 200, headers = {}, body } = answer(url, method);
    request.resume().on("end", () => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const closers: (() => Promise<void>)[] = [];
  return {
    url,
    seen,
    provider: ({ baseUrl = url, env = {}, token = "stub-token", run = direct } = {}) => {
      const credentials = { token: () => token, renew: () => undefined, place: () => "" };
      const setup = { credentials, run, baseUrl, userAgent: "flipop-test", env, now: () => NOW, monotonic: () => 0 };
      const { dns, close } = cloudflare.build(setup);
      closers.push(close);
      if (dns === undefined) throw new Error("Cloudflare has DNS");
      return dns;
    },
    close: async () => {
      await Promise.all(closers.map((close) => close()));
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

export function ok(result: unknown, more: object = {}): StubAnswer {
  return { body: { success: true, errors: [], messages: [], result, ...more } };
}

export function refused(
  status: number,
  code: number,
  message = "no",
  headers: Record<string, string> = {},
): StubAnswer {
  return { status, headers, body: { success: false, errors: [{ code, message }], messages: [], result: null } };
}
