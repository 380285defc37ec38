/** A simulated Cloudflare on a clock that stands still, and a client that checks all it gets. */

import { FakeClock } from "flipop-operator/testing/fake-clock";
import {
  type CloudflareSimulator,
  type CloudflareSimulatorOptions,
  startCloudflareSimulator,
} from "../../src/cloudflare/index.js";
import { checkBatchRequest, checkCloudflareAnswer, checkReadRequest } from "./cloudflare-openapi.js";

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

export interface CloudflareRig {
  readonly simulator: CloudflareSimulator;
  readonly clock: FakeClock;
  /** @param path below the prefix, with the query. A body that is a text is sent as it is. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<CloudflareAnswer>;
  /** Throws where the simulator made a mistake, or a client sent a batch that the documentation forbids. */
  close(): Promise<void>;
}

export async function startCloudflareRig(options: CloudflareSimulatorOptions = {}): Promise<CloudflareRig> {
  const clock = new FakeClock();
  const simulator = await startCloudflareSimulator({ clock, ...options });
  return {
    simulator,
    clock,
    call: (...call) => checkedCall(simulator, ...call),
    close: async () => {
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

/** Secret of a token for calls by hand: the journal tells them from those of the client under test. */
const BY_HAND_NAME = "by hand";
const BY_HAND = "by-hand-by-hand-by-hand-by-hand-by-hand0";

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
    body: await contentOf(response),
  };
  checkCloudflareAnswer({ method, path, body }, answer);
  const get: CloudflareAnswer["get"] = (...keys) => keys.reduce<unknown>(step, answer.body);
  const codes = [get("errors", 0, "code"), get("errors", 0, "error_chain", 0, "code")];
  return { status: answer.status, headers: answer.headers, get, codes: codes.filter((code) => code !== undefined) };
}

function contentOf(response: Response): Promise<unknown> {
  return response.headers.get("content-type")?.startsWith("text/plain") === true ? response.text() : response.json();
}

function step(value: unknown, key: string | number): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string | number, unknown>)[key] : undefined;
}
