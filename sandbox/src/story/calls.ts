/** The HTTP requests of this process that have no answer yet, as reported by the client itself. */

import { subscribe, unsubscribe } from "node:diagnostics_channel";

export interface CallsOptions {
  /** Whether requests to this origin, as in `http://127.0.0.1:80`, are of interest. */
  readonly to: (origin: string) => boolean;
  /** Called for each request before it is sent. @returns what is called when its answer begins, or it has failed */
  readonly asked: () => () => void;
}

const BEGIN = "undici:request:create";
const ENDS = ["undici:request:headers", "undici:request:error"];

/** Watches until the function returned is called. */
export function watchCalls({ to, asked }: CallsOptions): () => void {
  const open = new Map<object, () => void>();
  const begin = (message: unknown) => {
    const { request } = message as { readonly request: { readonly origin?: unknown } };
    if (to(String(request.origin))) open.set(request, asked());
  };
  const end = (message: unknown) => {
    const { request } = message as { readonly request: object };
    open.get(request)?.();
    open.delete(request);
  };
  subscribe(BEGIN, begin);
  for (const name of ENDS) subscribe(name, end);
  return () => {
    unsubscribe(BEGIN, begin);
    for (const name of ENDS) unsubscribe(name, end);
    for (const done of open.values()) done();
  };
}
