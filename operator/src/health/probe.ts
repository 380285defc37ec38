/** One probe of one target, with a socket of its own that is closed when the probe ends. */

import { type ClientRequest, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { RELEASE } from "cdk8s-flipop/api";
import type { ProbeResult } from "./probe-state.js";
import type { ProbeTarget } from "./target.js";

/** Resolves with what the target answered; when the signal aborts first, with its reason. Never rejects. */
export type Probe = (target: ProbeTarget, signal: AbortSignal) => Promise<ProbeResult>;

export const probeWithSocket: Probe = (target, signal) =>
  target.type === "TCP" ? probeTcp(target, signal) : probeHttp(target, signal);

function probeTcp({ host, port }: ProbeTarget, signal: AbortSignal): Promise<ProbeResult> {
  return ending(signal, (end) => {
    const socket = connect({ host, port });
    socket.once("connect", () => end({ ok: true }));
    socket.on("error", (error) => end(failed(error)));
    return socket;
  });
}

function probeHttp(target: ProbeTarget, signal: AbortSignal): Promise<ProbeResult> {
  return ending(signal, (end) => {
    const { type, host, port, path, insecureSkipVerify } = target;
    const headers = { "user-agent": `flipop/${RELEASE} (health check)`, connection: "close" };
    const options: RequestOptions = { host, port, path, headers, agent: false };
    const answered = (response: IncomingMessage) => end(statusResult(response.statusCode ?? 0, target));
    const sent: ClientRequest =
      type === "HTTP"
        ? httpRequest(options, answered)
        : httpsRequest({ ...options, rejectUnauthorized: !insecureSkipVerify }, answered);
    sent.on("error", (error) => end(failed(error)));
    sent.end();
    return sent;
  });
}

interface Open {
  destroy(): unknown;
}

/** Ends once: with the first result, or with the signal. Either way the socket is destroyed. */
function ending(signal: AbortSignal, start: (end: (result: ProbeResult) => void) => Open): Promise<ProbeResult> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve(failed(signal.reason));
      return;
    }
    const end = (result: ProbeResult) => {
      signal.removeEventListener("abort", abort);
      open?.destroy();
      resolve(result);
    };
    const abort = () => end(failed(signal.reason));
    let open: Open | undefined;
    try {
      open = start(end);
    } catch (error) {
      end(failed(error));
      return;
    }
    signal.addEventListener("abort", abort, { once: true });
  });
}

function statusResult(status: number, { expectedStatuses }: ProbeTarget): ProbeResult {
  const expected = expectedStatuses.length === 0 ? status >= 200 && status < 400 : expectedStatuses.includes(status);
  return expected ? { ok: true } : { ok: false, error: `status ${status}` };
}

/** Constant for one cause: a text that changed with each probe would be written to the status each time. */
function failed(error: unknown): ProbeResult {
  const { code, message } = error as Partial<NodeJS.ErrnoException>;
  return { ok: false, error: (code !== undefined && CAUSES[code]) || code || message || String(error) };
}

/** The error of a target that answers, but has no such port. */
export const REFUSED = "connection refused";

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: REFUSED,
  ECONNRESET: "connection reset",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  ETIMEDOUT: "connection timed out",
  HPE_INVALID_CONSTANT: "the answer is not HTTP",
};
