import { anyAbort } from "../async/wait.js";
import { ProviderError } from "./errors.js";

/**
 * The promise, which others share; rejects earlier when this caller gives up. Leaves no listener behind.
 * @param where for the error: `cloudflare: find a zone`.
 */
export async function unlessAborted<T>(signal: AbortSignal | undefined, where: string, shared: Promise<T>): Promise<T> {
  if (signal === undefined) return shared;
  const abort = anyAbort([signal]);
  const givenUp = abort.aborted.then((): never => {
    throw givenUpError(signal, where);
  });
  try {
    return await Promise.race([shared, givenUp]);
  } finally {
    abort.dispose();
  }
}

function givenUpError(signal: AbortSignal, where: string): ProviderError {
  return new ProviderError({
    kind: "Unavailable",
    where,
    seen: "the call was given up",
    remedy: "nothing; whoever asked no longer waits for the answer",
    outcome: "not-sent",
    reason: "Cancelled",
    cause: signal.reason,
  });
}
