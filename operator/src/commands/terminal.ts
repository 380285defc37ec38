/** What a command shows and asks at a terminal, beside its result. */

import { createInterface } from "node:readline/promises";
import type { CommandIo } from "./command.js";

const USUAL_WIDTH = 80;

/** COLUMNS comes first. Some terminals report 0 columns: they do not know their width. */
export function widthOf({ COLUMNS = "" }: CommandIo["env"], columns: number | undefined): number {
  return (/^\d+$/.test(COLUMNS) && Number(COLUMNS)) || columns || USUAL_WIDTH;
}

/** One line on the error output until the work ends; then it goes. Prints nothing in a pipe. */
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

interface Keyboard {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** Answers a question, one line. @throws Error at Ctrl-C and Ctrl-D, which abort `stop` */
export async function askPerson(question: string, stop: AbortController, keyboard: Keyboard): Promise<string> {
  const lines = createInterface(keyboard);
  // While it asks, Ctrl-C is a key and no signal.
  for (const end of ["SIGINT", "close"] as const) lines.once(end, () => stop.abort(new Error(end)));
  try {
    return await lines.question(question, { signal: stop.signal });
  } finally {
    lines.removeAllListeners("close");
    lines.close();
  }
}
