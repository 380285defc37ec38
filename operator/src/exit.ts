/** How the process ends: exit codes, signals, and an output without a reader. */

import { inspect } from "node:util";
import type { Logger } from "./logging.js";

export const EXIT = { ok: 0, failed: 1, leaseLost: 3 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An invalid command line or variable, as shells use it. */
export const USAGE = 2;
/** As shells report a program that Ctrl-C ended. */
export const INTERRUPTED = 130;
/** As shells report a program that wrote to a closed pipe. */
export const NO_READER = 141;

interface ExitMeaning {
  readonly code: number;
  readonly run: string;
  readonly sandbox: string;
}

/** Every exit code; empty: never. */
export const EXIT_MEANINGS: readonly ExitMeaning[] = [
  {
    code: EXIT.ok,
    run: "a signal, SIGTERM or SIGINT, ended it, after the open runs finished or the operator gave them up",
    sandbox: "every expectation of the scenario held, or a signal ended a run with `--only`",
  },
  {
    code: EXIT.failed,
    run: "could not start (no cluster, no provider, a port that is taken, caches that did not sync), or a part of it failed; the log says why",
    sandbox: "an expectation did not hold, the scenario is invalid, or a port or file is not available",
  },
  { code: USAGE, run: "a flag or variable is invalid", sandbox: "a flag is invalid" },
  { code: EXIT.leaseLost, run: "the operator lost the Lease; start it again, as Kubernetes does", sandbox: "" },
  {
    code: INTERRUPTED,
    run: "a second signal, SIGINT, ended it at once",
    sandbox: "Ctrl-C or SIGTERM before the end of the scenario",
  },
  {
    code: NO_READER,
    run: "the reader of its output has closed the pipe, as in `flipop --help | head -1`",
    sandbox: "as with `run`",
  },
  { code: 143, run: "a second signal, SIGTERM, ended it at once", sandbox: "" },
];

/** Ends the process when an output has no reader any more. */
export function endWithoutReader(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", end);
}

function end(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exit(NO_READER);
}

/** The part of `process` that is needed. */
interface ErrorSource {
  on(event: "uncaughtException", listener: (error: unknown) => void): unknown;
}

/**
 * An error that nothing expected ends the process with its stack. Node would first print the source line, and a line of
 * the bundle has 100 kB.
 */
export function endWithStack(source: ErrorSource, err: (text: string) => void, exit: (code: number) => void): void {
  source.on("uncaughtException", (error) => {
    err(`flipop: unexpected error, please report it: ${inspect(error)}\n`);
    exit(EXIT.failed);
  });
}

const SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const;

type SignalName = keyof typeof SIGNALS;

/** As a shell reports a process that a signal ended. */
const SIGNAL_EXIT_BASE = 128;

/** The part of `process` that is needed. */
interface SignalSource {
  on(signal: SignalName, listener: () => void): unknown;
}

/**
 * Listens to the very end of the process: a signal without a listener would end it before its exit code, and the first
 * process of a container would not hear of it.
 * @param exit ends the process at once, without any tidying up.
 * @returns aborts at the first signal.
 */
export function shutdownSignals(source: SignalSource, logger: Logger, exit: (code: number) => void): AbortSignal {
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
  source.on("SIGINT", handle("SIGINT"));
  source.on("SIGTERM", handle("SIGTERM"));
  return stop.signal;
}
