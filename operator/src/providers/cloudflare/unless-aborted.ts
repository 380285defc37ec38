import { anyAbort } from "../../async/wait.js";
import { ProviderError } from "../errors.js";
import { CLOUDFLARE } from "./client.js";

/** The promise, which others share; rejects earlier when this caller gives up. Leaves no listener behind. */
export async function unlessAborted<T>(signal: AbortSignal | undefined, shared: Promise<T>): Promise<T> {
  if (signal === undefined) return shared;
  const abort = anyAbort([signal]);
  const givenUp = abort.aborted.then((): never => {
    throw givenUpError(signal);
  });
  try {
    return await Promise.race([shared, givenUp]);
  } finally {
    abort.dispose();
  }
}

function givenUpError(signal: AbortSignal): ProviderError {
  return new ProviderError({
    kind: "Unavailable",
    where: `${CLOUDFLARE}: find a zone`,
    seen: "the call was given up",
    remedy: "nothing; whoever asked no longer waits for the answer",
    outcome: "not-sent",
    reason: "Cancelled",
    cause: signal.reason,
  });
}
