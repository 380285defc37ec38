/** `fetch` for Cloudflare's package, over connections of our own. */

import type { Dispatcher } from "undici";
import type { Connections } from "../connections.js";

/** What the API needs. The package would also tell it the machine's system, and whatever one more variable says. */
const SENT_HEADERS = ["authorization", "accept", "content-type", "user-agent", "api-version"];
const NO_BODY = 204;

/** What broke a request. Neither message nor `cause` has it: the package drops errors that look like a time-out. */
export class FetchFailure extends Error {
  override readonly name = "FetchFailure";

  constructor(readonly failure: unknown) {
    super("the request failed");
  }
}

/** Rejects with FetchFailure. The body is there whole, so that nothing waits for it without a deadline. */
export function fetchOver(connections: Connections): typeof fetch {
  return async (input, init = {}) => {
    try {
      const { status, text, headers } = await connections.send({
        url: String(input instanceof Request ? input.url : input),
        method: (init.method ?? "GET") as Dispatcher.HttpMethod,
        headers: sentHeaders(new Headers(init.headers)),
        ...(typeof init.body === "string" ? { body: init.body } : {}),
        ...(init.signal ? { signal: init.signal } : {}),
      });
      return new Response(status === NO_BODY ? null : text, { status, headers });
    } catch (error) {
      throw new FetchFailure(error);
    }
  };
}

function sentHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => SENT_HEADERS.includes(name)));
}
