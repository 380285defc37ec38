/** Progress of a slow command: one line on the error output of a terminal, which goes before the result is printed. */

import type { CommandIo } from "./command.js";

const CLEAR = "\r\u001b[K";

/** Shows the text until the work ends. Prints nothing in a pipe. */
export async function withProgress<T>(
  { terminal, err }: Pick<CommandIo, "terminal" | "err">,
  text: string,
  work: () => Promise<T>,
): Promise<T> {
  if (!terminal) return work();
  err(`${text} ...`);
  try {
    return await work();
  } finally {
    err(CLEAR);
  }
}
