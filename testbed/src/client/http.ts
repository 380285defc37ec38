import { request as httpRequest, type IncomingMessage } from "node:http";
import { type Agent, request as httpsRequest } from "node:https";
import { readText } from "./streams.js";

/** One HTTP request. */
export interface HttpRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly agent?: Agent;
  readonly ca?: string;
  /** Whether to verify the server's certificate. @default true */
  readonly verify?: boolean;
  readonly signal?: AbortSignal;
  /** Milliseconds without data until the request fails; 0 means no limit. @default 30000 */
  readonly timeoutMs?: number;
}

/** The complete response to a request. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  /** The Warning headers, each as sent. */
  readonly warnings: readonly string[];
  readonly text: string;
}

/** Sends a request; resolves with the head of the response before the body is read. */
export function open(request: HttpRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { agent, ca, signal, body } = request;
    const send = request.url.startsWith("https:") ? httpsRequest : httpRequest;
    const sent = send(request.url, {
      method: request.method ?? "GET",
      headers: { ...request.headers, ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }) },
      rejectUnauthorized: request.verify ?? true,
      timeout: request.timeoutMs ?? 30_000,
      ...(agent && { agent }),
      ...(ca && { ca }),
      ...(signal && { signal }),
    });
    sent.once("timeout", () => sent.destroy(new Error(`no answer from ${request.url}`)));
    sent.once("error", reject);
    sent.once("response", resolve);
    sent.end(body);
  });
}

/** Sends a request and reads the whole response. */
export async function fetchText(request: HttpRequest): Promise<HttpAnswer> {
  const response = await open(request);
  const text = await readText(response);
  const warnings = response.headersDistinct.warning ?? [];
  return { status: response.statusCode ?? 0, headers: response.headers, warnings, text };
}
