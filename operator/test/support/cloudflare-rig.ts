/** A simulated Cloudflare on a clock that stands still, with a client that checks all it gets, and our provider. */

import type { CallContext, CallRunner } from "../../src/providers/call.js";
import { cloudflare } from "../../src/providers/cloudflare/index.js";
import { stack } from "../../src/providers/compose.js";
import { withAttemptDeadline } from "../../src/providers/deadlines.js";
import { direct } from "../../src/providers/direct.js";
import type { DnsProvider } from "../../src/providers/types.js";
import {
  type CloudflareSimulator,
  type CloudflareSimulatorOptions,
  DEFAULT_TOKEN,
  startCloudflareSimulator,
} from "../../src/sandbox/cloudflare/index.js";
import { checkBatchRequest, checkCloudflareAnswer, checkReadRequest } from "./cloudflare-openapi.js";
import { FakeClock } from "./fake-clock.js";

/** An answer with ways to look into it. */
export interface CloudflareAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** What is at a path of keys and indexes: `get("result", 0, "id")`. Undefined where there is nothing. */
  get(...path: readonly (string | number)[]): unknown;
  /** Code of the first error, and of the one under it. */
  readonly codes: readonly unknown[];
}

export interface CallOptions {
  /** @default DEFAULT_TOKEN; null: none */
  readonly token?: string | null;
}

export interface ProviderOptions {
  /** Read for each call. @default DEFAULT_TOKEN */
  readonly token?: () => string;
  /** @default the simulator's */
  readonly baseUrl?: string;
  /** @default direct, with the deadline of an attempt on the rig's clock */
  readonly run?: CallRunner;
}

export interface CloudflareRig {
  readonly simulator: CloudflareSimulator;
  readonly clock: FakeClock;
  /** @param path below the prefix, with the query. A body that is a text is sent as it is. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<CloudflareAnswer>;
  /** A new provider: nothing is known to it yet. */
  provider(options?: ProviderOptions): DnsProvider;
  /** Throws where the simulator made a mistake, or the provider sent a batch that the documentation forbids. */
  close(): Promise<void>;
}

export const context: CallContext = {
  asker: { kind: "FloatingIPPool", namespace: "default", name: "web" },
  why: "a test",
  priority: "assignment",
};

export async function startCloudflareRig(options: CloudflareSimulatorOptions = {}): Promise<CloudflareRig> {
  const clock = new FakeClock();
  const simulator = await startCloudflareSimulator({ clock, ...options });
  const closers: (() => Promise<void>)[] = [];
  const own = stack([withAttemptDeadline(clock)], direct);
  return {
    simulator,
    clock,
    call: (...call) => checkedCall(simulator, ...call),
    provider: ({ token = () => DEFAULT_TOKEN, baseUrl = simulator.url, run = own } = {}) => {
      const credentials = { token, renew: () => undefined };
      const [now, monotonic] = [() => clock.now(), () => clock.monotonic()];
      const { dns, close } = cloudflare.build({
        credentials,
        run,
        baseUrl,
        userAgent: "flipop-test",
        env: {},
        now,
        monotonic,
      });
      closers.push(close);
      if (dns === undefined) throw new Error("Cloudflare offers DNS");
      return dns;
    },
    close: async () => {
      await Promise.all(closers.map((close) => close()));
      await simulator.close();
      const [bug] = simulator.bugs;
      if (bug !== undefined) throw bug;
      for (const entry of simulator.journal.entries) {
        if (entry.caller === BY_HAND_NAME) continue;
        if (entry.route === BATCH) checkBatchRequest(entry.body);
        else if (entry.method === "GET") checkReadRequest(entry);
      }
    },
  };
}

/** Route of batches. */
export const BATCH = "POST /zones/{zone_id}/dns_records/batch";
/** Route of record lists. */
export const LIST = "GET /zones/{zone_id}/dns_records";

/** Secret of a token for calls by hand: the journal tells them from the provider's. */
export const BY_HAND_NAME = "by hand";
export const BY_HAND = "by-hand-by-hand-by-hand-by-hand-by-hand0";

async function checkedCall(
  simulator: CloudflareSimulator,
  ...[method, path, body, { token = BY_HAND } = {}]: Parameters<CloudflareRig["call"]>
): Promise<CloudflareAnswer> {
  simulator.tokens.add({ name: BY_HAND_NAME, secret: BY_HAND });
  const response = await fetch(`${simulator.url}${path}`, {
    method,
    body: typeof body === "string" ? body : (JSON.stringify(body) ?? null),
    headers: { "content-type": "application/json", ...(token !== null && { authorization: `Bearer ${token}` }) },
  });
  const answer = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: (await response.json()) as unknown,
  };
  checkCloudflareAnswer({ method, path, body }, answer);
  const get: CloudflareAnswer["get"] = (...keys) => keys.reduce<unknown>(step, answer.body);
  const codes = [get("errors", 0, "code"), get("errors", 0, "error_chain", 0, "code")];
  return { status: answer.status, headers: answer.headers, get, codes: codes.filter((code) => code !== undefined) };
}

function step(value: unknown, key: string | number): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string | number, unknown>)[key] : undefined;
}

/** What rejects, as it rejected. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("expected a rejection");
}
