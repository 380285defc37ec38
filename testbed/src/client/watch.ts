import { createInterface } from "node:readline";
import { ApiError } from "./api-error.js";
import { type HttpRequest, open } from "./http.js";
import type { KubeStatus } from "./resource-path.js";
import { readText } from "./streams.js";

/** One event of a watch. The object of an ERROR is a Status. */
export interface WatchEvent<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: T;
}

/** The events of a watch; ends quietly on the request's signal and when the server ends the watch. */
export async function* watchLines<T>(request: HttpRequest): AsyncGenerator<WatchEvent<T>> {
  const { signal } = request;
  try {
    const response = await open(request);
    const { statusCode = 0 } = response;
    if (statusCode !== 200) throw refusal(request.url, statusCode, await readText(response));
    const lines = createInterface({ input: response });
    for await (const line of lines) yield JSON.parse(line) as WatchEvent<T>;
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}

function refusal(url: string, status: number, text: string): ApiError {
  let body: KubeStatus = { message: text };
  try {
    body = JSON.parse(text) as KubeStatus;
  } catch {
    // Not every error is JSON; otherwise the text is the message.
  }
  return new ApiError(status, body, `WATCH ${url}`);
}
