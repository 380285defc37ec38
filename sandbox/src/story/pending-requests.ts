/** The HTTP requests of this process that have no answer yet, as reported by the client itself. */

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { CHANNELS, type HttpRequest } from "flipop-operator/connections";

export interface CallsOptions {
  /** Whether a request to this origin, as in `http://127.0.0.1:80`, and path is of interest. */
  readonly to: (origin: string, path: string) => boolean;
  /** Called for each request before it is sent. @returns what is called when its answer begins, or it has failed */
  readonly asked: () => () => void;
}

/** Watches until the function returned is called. */
export function watchCalls({ to, asked }: CallsOptions): () => void {
  const open = new Map<object, () => void>();
  const begin = (message: unknown) => {
    const request = message as HttpRequest;
    if (to(request.origin, request.path)) open.set(request, asked());
  };
  const end = (message: unknown) => {
    const request = message as HttpRequest;
    open.get(request)?.();
    open.delete(request);
  };
  subscribe(CHANNELS.begin, begin);
  subscribe(CHANNELS.end, end);
  return () => {
    unsubscribe(CHANNELS.begin, begin);
    unsubscribe(CHANNELS.end, end);
    for (const done of open.values()) done();
  };
}
