/** Puts an answer on the wire, whole or damaged. */

import type { ServerResponse } from "node:http";
import type { Clock } from "flipop-operator/clock";
import type { Fault } from "./fault.js";
import type { SimulatorAnswer } from "./message.js";
import { resetSocket } from "./reset-socket.js";

const DEFAULT_HUGE_BYTES = 10 * 1024 * 1024;
const DEFAULT_CHUNKS = 4;
const BAD_GATEWAY = 502;

/** What goes back: `answer` is absent where the request was lost before it reached the API. */
export interface Delivery {
  readonly response: ServerResponse;
  readonly answer: SimulatorAnswer | undefined;
  /** Absent: the answer as it is. */
  readonly fault: Fault | undefined;
  readonly clock: Clock;
}

/** Never rejects on account of a client that is gone. */
export async function deliver({ response, answer, fault, clock }: Delivery): Promise<void> {
  if (fault !== undefined && replaces(response, answer, fault)) return;
  if (answer === undefined) throw new Error(`fault "${fault?.kind}" has nothing to send: it needs an answer to damage`);
  if (fault?.kind === "delay") await clock.sleep(fault.ms);
  if (fault?.kind === "slow-body") await drip(response, answer, { clock, ms: fault.ms, chunks: fault.chunks });
  else send(response, answer, contentOf(answer, fault));
}

function contentOf(answer: SimulatorAnswer, fault: Fault | undefined): Buffer {
  if (fault?.kind === "truncate") return halfOf(bodyOf(answer));
  return fault?.kind === "huge" ? padded(answer, fault.bytes) : bodyOf(answer);
}

/** Whether the fault left nothing of the answer. */
function replaces(response: ServerResponse, answer: SimulatorAnswer | undefined, fault: Fault): boolean {
  if (fault.kind === "html") sendHtml(response, fault.status ?? BAD_GATEWAY);
  else if (fault.kind === "reset") reset(response, fault.when === "during-body" ? answer : undefined);
  else return fault.kind === "timeout";
  return true;
}

function bodyOf({ body, plain }: SimulatorAnswer): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  return Buffer.from(plain === true ? String(body) : JSON.stringify(body));
}

function halfOf(body: Buffer): Buffer {
  return body.subarray(0, Math.floor(body.length / 2));
}

function send(response: ServerResponse, answer: SimulatorAnswer, body: Buffer): void {
  if (response.destroyed) return;
  writeHead(response, answer, body.length);
  response.end(response.req.method === "HEAD" ? undefined : body);
}

function writeHead(response: ServerResponse, answer: SimulatorAnswer, length: number): void {
  const { status, headers, body, plain } = answer;
  const type = `${plain === true ? "text/plain" : "application/json"}; charset=utf-8`;
  const content = body === undefined ? {} : { "content-type": type, "content-length": length };
  response.writeHead(status, { ...content, ...headers });
}

/** RST, after half of the answer if there is one with a body. */
function reset(response: ServerResponse, answer: SimulatorAnswer | undefined): void {
  const { socket } = response;
  if (answer?.body === undefined) {
    if (socket !== null) resetSocket(socket);
    return;
  }
  const body = bodyOf(answer);
  writeHead(response, answer, body.length);
  response.write(halfOf(body), () => socket !== null && resetSocket(socket));
}

function sendHtml(response: ServerResponse, status: number): void {
  const page = `<!DOCTYPE html><html><head><title>${status}</title></head><body><h1>${status}</h1></body></html>\n`;
  response.writeHead(status, { "content-type": "text/html; charset=utf-8", "content-length": page.length });
  response.end(page);
}

/** The same JSON with a long text beside it; a list or a bare value is wrapped. */
function padded({ body }: SimulatorAnswer, bytes = DEFAULT_HUGE_BYTES): Buffer {
  const object = typeof body === "object" && body !== null && !Array.isArray(body) ? body : { value: body ?? null };
  return Buffer.from(JSON.stringify({ padding: "x".repeat(bytes), ...object }));
}

interface Drip {
  readonly clock: Clock;
  readonly ms: number;
  readonly chunks: number | undefined;
}

async function drip(response: ServerResponse, answer: SimulatorAnswer, drip: Drip): Promise<void> {
  const { clock, ms, chunks = DEFAULT_CHUNKS } = drip;
  const body = bodyOf(answer);
  writeHead(response, answer, body.length);
  response.flushHeaders();
  const size = Math.max(1, Math.ceil(body.length / chunks));
  for (let start = 0; start < body.length && !response.destroyed; start += size) {
    await clock.sleep(ms / chunks);
    response.write(body.subarray(start, start + size));
  }
  response.end();
}
