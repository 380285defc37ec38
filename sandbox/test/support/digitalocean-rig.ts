/** A simulated DigitalOcean on a clock that stands still, and a client that checks all it sends and gets. */

import { FakeClock } from "flipop-operator/testing/fake-clock";
import {
  type DigitalOceanSimulator,
  type DigitalOceanSimulatorOptions,
  startDigitalOceanSimulator,
} from "../../src/digitalocean/simulator.js";
import { digitalOceanOpenApi } from "./digitalocean-openapi.js";
import type { ObservedAnswer, ObservedRequest } from "./openapi.js";

export interface Answer extends ObservedAnswer {
  /** What is at a path of keys and indexes: `get("reserved_ips", 0, "ip")`. Undefined where there is nothing. */
  get(...path: readonly (string | number)[]): unknown;
  /** As `get`; throws for anything but a text. */
  text(...path: readonly (string | number)[]): string;
  /** As `get`; throws for anything but a number. */
  number(...path: readonly (string | number)[]): number;
  /** As `get`; throws for anything but a list. */
  list(...path: readonly (string | number)[]): readonly unknown[];
}

export interface CallOptions {
  /** @default the simulator's first token; null: none */
  readonly token?: string | null;
  /** The request is wrong on purpose: only the answer is checked. @default false */
  readonly wrong?: boolean;
  /** The answer is damaged on purpose: nothing is checked. @default false */
  readonly damaged?: boolean;
  readonly signal?: AbortSignal;
}

export interface DigitalOceanRig {
  readonly simulator: DigitalOceanSimulator;
  readonly clock: FakeClock;
  /** @param path from `/v2` on, with the query. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  close(): Promise<void>;
}

export async function startDigitalOceanRig(options: DigitalOceanSimulatorOptions = {}): Promise<DigitalOceanRig> {
  const clock = new FakeClock();
  const simulator = await startDigitalOceanSimulator({ clock, ...options });
  const close = async () => {
    await simulator.close();
    const [bug] = simulator.bugs;
    if (bug !== undefined) throw bug;
  };
  return { simulator, clock, close, call: (...call) => checkedCall(simulator, ...call) };
}

async function checkedCall(
  simulator: DigitalOceanSimulator,
  ...[method, path, body, options = {}]: Parameters<DigitalOceanRig["call"]>
): Promise<Answer> {
  const request = { method, path, body };
  const openApi = options.damaged === true ? undefined : digitalOceanOpenApi();
  if (options.wrong !== true) openApi?.checkRequest(request);
  const answer = await send(simulator, request, options);
  openApi?.checkAnswer(request, answer);
  return readable(answer);
}

/** @param request a body that is a text is sent as it is. */
async function send(
  simulator: DigitalOceanSimulator,
  { method, path, body }: ObservedRequest,
  { token = simulator.token, signal }: CallOptions,
): Promise<ObservedAnswer> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(`${simulator.url}${path}`, {
    ...{ method, body: text ?? null },
    ...(signal !== undefined && { signal }),
    headers: { "content-type": "application/json", ...(token !== null && { authorization: `Bearer ${token}` }) },
  });
  const answer = await response.text();
  const headers = Object.fromEntries(response.headers);
  return { status: response.status, headers, body: answer === "" ? undefined : JSON.parse(answer) };
}

function readable(answer: ObservedAnswer): Answer {
  const get: Answer["get"] = (...path) => path.reduce<unknown>(step, answer.body);
  const typed =
    <T>(is: (value: unknown) => value is T, type: string) =>
    (...path: readonly (string | number)[]): T => {
      const value = get(...path);
      if (!is(value)) throw new Error(`${path.join(".")} is no ${type} in ${JSON.stringify(answer.body)}`);
      return value;
    };
  const isText = (value: unknown) => typeof value === "string";
  const isNumber = (value: unknown) => typeof value === "number";
  const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
  return {
    ...answer,
    get,
    text: typed(isText, "text"),
    number: typed(isNumber, "number"),
    list: typed(isList, "list"),
  };
}

function step(value: unknown, key: string | number): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string | number, unknown>)[key] : undefined;
}
