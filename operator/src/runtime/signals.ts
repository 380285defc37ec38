/** SIGTERM and SIGINT: the first one asks, the second one ends. */

import type { Logger } from "../logging.js";

const SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const;
type SignalName = keyof typeof SIGNALS;

/** As a shell reports a process that a signal ended. */
const SIGNAL_EXIT_BASE = 128;

/** The part of `process` that is needed. */
export interface SignalSource {
  on(signal: SignalName, listener: () => void): unknown;
  off(signal: SignalName, listener: () => void): unknown;
}

export interface ShutdownSignals {
  /** Aborts at the first signal. */
  readonly stop: AbortSignal;
  /** Listens no more. */
  dispose(): void;
}

/** @param exit ends the process at once, without any tidying up. */
export function shutdownSignals(source: SignalSource, logger: Logger, exit: (code: number) => void): ShutdownSignals {
  const stop = new AbortController();
  const handle = (signal: SignalName) => () => {
    if (stop.signal.aborted) {
      logger.warn({ signal }, "second signal received; exiting at once");
      exit(SIGNAL_EXIT_BASE + SIGNALS[signal]);
      return;
    }
    logger.info({ signal }, "signal received; shutting down, a second one exits at once");
    stop.abort(new Error(`received ${signal}`));
  };
  const handlers = [["SIGINT", handle("SIGINT")] as const, ["SIGTERM", handle("SIGTERM")] as const];
  for (const [signal, listener] of handlers) source.on(signal, listener);
  return {
    stop: stop.signal,
    dispose: () => {
      for (const [signal, listener] of handlers) source.off(signal, listener);
    },
  };
}
