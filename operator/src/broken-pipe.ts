/** `flipop --help | head -1`: its reader has ended, and a program without a reader ends too. */
import { NO_READER } from "./exit-codes.js";

/** Ends the process when an output has no reader any more. */
export function endWithoutReader(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", end);
}

function end(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exit(NO_READER);
}
