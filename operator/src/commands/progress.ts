/** Progress of a slow command: one line on the error output of a terminal, which goes before the result is printed. */

import type { CommandIo } from "./command.js";

/** Shows the text until the work ends. Prints nothing in a pipe. */
export async function withProgress<T>(
  { terminal, err, eraseLine }: Pick<CommandIo, "terminal" | "err" | "eraseLine">,
  text: string,
  work: () => Promise<T>,
): Promise<T> {
  if (!terminal) return work();
  err(`${text} ...`);
  try {
    return await work();
  } finally {
    eraseLine();
  }
}
