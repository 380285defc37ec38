import type { Dispatcher } from "undici";

/**
 * A dispatcher that calls `check` when the bytes of a request are about to leave; what it throws is the request's error.
 * Before that a request may wait for a new connection, and a process that was stalled meanwhile runs I/O before timers:
 * no deadline's timer would stop it from writing with a lease that is long over.
 */
export function withLastCheck(dispatcher: Dispatcher, check: () => void): Dispatcher {
  return dispatcher.compose((dispatch) => (options, handler) => dispatch(options, new CheckedHandler(handler, check)));
}

type Handler = Dispatcher.DispatchHandler;
type Arguments<K extends keyof Handler> = Parameters<NonNullable<Handler[K]>>;

class CheckedHandler implements Handler {
  constructor(
    private readonly inner: Handler,
    private readonly check: () => void,
  ) {}

  onRequestStart(...args: Arguments<"onRequestStart">): void {
    this.check();
    this.inner.onRequestStart?.(...args);
  }

  onRequestUpgrade(...args: Arguments<"onRequestUpgrade">): void {
    this.inner.onRequestUpgrade?.(...args);
  }

  onResponseStart(...args: Arguments<"onResponseStart">): void {
    this.inner.onResponseStart?.(...args);
  }

  onResponseData(...args: Arguments<"onResponseData">): void {
    this.inner.onResponseData?.(...args);
  }

  onResponseEnd(...args: Arguments<"onResponseEnd">): void {
    this.inner.onResponseEnd?.(...args);
  }

  onResponseError(...args: Arguments<"onResponseError">): void {
    this.inner.onResponseError?.(...args);
  }
}
