/** The client: `client.mjs ADDRESS PORT RATE`. It sends so many TCP and so many UDP requests each second. */

import { createSocket } from "node:dgram";
import { get } from "node:http";
import { hostClock, type Sample, type SamplesWanted } from "../traffic/messages.js";

const TICK_MS = 5;
/** Later answers do not count. */
const TIMEOUT_MS = 1_000;

const [, , host = "", port = "", rate = ""] = process.argv;
let ended: Sample[] = [];

const waiting = new Map<string, (node: string) => void>();
const socket = createSocket("udp4");
socket.on("message", (answer) => {
  const [id = "", node = ""] = answer.toString().split(" ");
  waiting.get(id)?.(node);
});
// A refused packet is a request without an answer.
socket.on("error", () => undefined);
let lastId = 0;

function requestByUdp(): void {
  const sentAt = hostClock();
  const id = `${++lastId}`;
  const end = (node?: string) => {
    clearTimeout(timer);
    waiting.delete(id);
    ended.push({ protocol: "udp", sentAt, ...(node !== undefined && { node }) });
  };
  const timer = setTimeout(end, TIMEOUT_MS);
  waiting.set(id, end);
  socket.send(id, () => undefined);
}

/** A connection for each request: one that is kept would only show how the kernel repeats packets. */
function requestByTcp(): void {
  const sentAt = hostClock();
  let node: string | undefined;
  const request = get({ host, port, agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) }, (response) => {
    response.setEncoding("utf8");
    response.on("data", (text: string) => {
      node = (node ?? "") + text;
    });
    response.on("error", () => undefined);
    response.on("end", () => request.destroy());
  });
  request.on("error", () => undefined);
  request.on("close", () => ended.push({ protocol: "tcp", sentAt, ...(node !== undefined && { node }) }));
}

process.on("message", (_: SamplesWanted) => {
  process.send?.(ended);
  ended = [];
});
process.on("disconnect", () => process.exit());

socket.connect(Number(port), host, (error?: Error) => {
  if (error !== undefined) throw error;
  const start = hostClock();
  let sent = 0;
  setInterval(() => {
    for (const due = ((hostClock() - start) / 1000) * Number(rate); sent < due; sent++) {
      requestByUdp();
      requestByTcp();
    }
  }, TICK_MS);
  process.send?.("ready");
});
