/**
 * A stand-in for the API server: serves made-up pods as fast as they are taken, and events at a steady rate. A process
 * of its own, so that it costs the measured one nothing. Arguments: pods, bytes of a pod, events a second.
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { say } from "../child-report.js";
import { type PodValues, podWriter } from "../pods.js";

const [pods = 0, bytes = 0, eventsPerSecond = 0] = process.argv.slice(2).map(Number);
const write = podWriter(bytes);
const VERSION = 1_000;
const TICK_MS = 5;
const CHUNK = 50;
/** For the initial set to be dealt with, before the first event. */
const SETTLE_MS = 2_000;
const JSON_TYPE = { "content-type": "application/json" };
let first = true;
let version = VERSION;

const server = createServer((request, response) => void answer(request, response));
server.listen(0, "127.0.0.1", () => say({ kind: "listening", port: (server.address() as AddressInfo).port }));
process.stdin.resume().on("end", () => process.exit(0));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://stand-in");
  if (request.method !== "GET") return echo(request, response);
  const served = pathname === "/api/v1/pods" ? pods : 0;
  if (searchParams.get("watch") === "true") return watch(response, searchParams, served);
  if (pathname.includes("/leases/")) return refuse(response);
  return list(response, searchParams, served);
}

/** Leases and Events: whatever is written is taken. */
async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const object = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { metadata?: object };
  const metadata = { ...object.metadata, resourceVersion: String(++version) };
  response.writeHead(200, JSON_TYPE).end(JSON.stringify({ ...object, metadata }));
}

function refuse(response: ServerResponse): void {
  response.writeHead(404, JSON_TYPE).end(JSON.stringify({ kind: "Status", code: 404, reason: "NotFound" }));
}

async function list(response: ServerResponse, query: URLSearchParams, served: number): Promise<void> {
  const start = Number(query.get("continue") ?? 0);
  const end = Math.min(served, start + Number(query.get("limit") ?? served));
  const next = end < served ? { continue: String(end) } : {};
  const head = { apiVersion: "v1", metadata: { resourceVersion: String(VERSION), ...next } };
  response.writeHead(200, JSON_TYPE);
  response.write(`{"kind":"List",${JSON.stringify(head).slice(1, -1)},"items":[`);
  for (let index = start; index < end; index += CHUNK) {
    const chunk = range(index, Math.min(end, index + CHUNK)).map((at) => write(initial(at)));
    await send(response, (index === start ? "" : ",") + chunk.join(","));
  }
  response.end("]}");
}

async function watch(response: ServerResponse, query: URLSearchParams, served: number): Promise<void> {
  response.writeHead(200, JSON_TYPE).flushHeaders();
  if (first) say({ kind: "first watch", atMs: performance.timeOrigin + performance.now() });
  first = false;
  if (query.get("sendInitialEvents") === "true") {
    for (let index = 0; index < served; index += CHUNK) {
      const chunk = range(index, Math.min(served, index + CHUNK)).map((at) => line("ADDED", write(initial(at))));
      await send(response, chunk.join(""));
    }
    const metadata = { resourceVersion: String(VERSION), annotations: { "k8s.io/initial-events-end": "true" } };
    await send(response, line("BOOKMARK", JSON.stringify({ metadata })));
  }
  if (eventsPerSecond > 0 && served > 0) setTimeout(() => emit(response, served), SETTLE_MS);
}

/** Changes of random pods. Each says when it left, by the monotonic clock that all processes share. */
function emit(response: ServerResponse, served: number): void {
  const start = performance.now();
  const pending = new Set<number>();
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - start) / 1000) * eventsPerSecond);
    let batch = "";
    for (; sent < due; sent++) {
      const index = Math.floor(Math.random() * served);
      // Each event changes what a cache sees of the pod.
      const phase = pending.delete(index) ? "Running" : "Pending";
      if (phase === "Pending") pending.add(index);
      version++;
      batch += line("MODIFIED", write({ index, version, phase, sent: String(process.hrtime.bigint()) }));
    }
    response.write(batch);
  }, TICK_MS);
  response.on("close", () => clearInterval(timer));
}

async function send(response: ServerResponse, text: string): Promise<void> {
  if (response.destroyed || response.write(text)) return;
  await new Promise<void>((resolve) => {
    const settle = () => {
      response.off("drain", settle).off("close", settle);
      resolve();
    };
    response.on("drain", settle).on("close", settle);
  });
}

function initial(index: number): PodValues {
  return { index, version: VERSION, phase: "Running", sent: "" };
}

function line(type: string, object: string): string {
  return `{"type":"${type}","object":${object}}\n`;
}

function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}
