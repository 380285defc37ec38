/** Runs a command of the table for a person at a terminal, or for a pipe. */

import { setMaxListeners } from "node:events";
import type { Output } from "../command-line.js";
import { EXIT, INTERRUPTED, USAGE } from "../exit.js";
import { printable } from "../printable.js";
import { problemText } from "./cluster.js";
import { type CommandIo, type CommandSpec, type ParsedCall, UsageError } from "./command.js";
import { COMMANDS } from "./commands.js";
import { askPerson, widthOf } from "./terminal.js";

const ERASE_LINE = "\r\u001b[K";

/** Resolves to the exit code; a problem has been printed then, with its remedy. */
export async function runCommand(
  { load, usageCode = USAGE }: CommandSpec,
  call: ParsedCall,
  output: Output & Pick<CommandIo, "env">,
): Promise<number> {
  const stop = new AbortController();
  // Each call to an API listens, and commands make many at once.
  setMaxListeners(0, stop.signal);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort(new Error(signal)));
  const io: CommandIo = {
    env: output.env,
    // Names, annotations and messages come from others: a terminal must not obey them.
    out: (text) => output.out(printable(text)),
    err: (text) => output.err(printable(text)),
    eraseLine: () => output.err(ERASE_LINE),
    ask: (question) => ask(printable(question), stop),
    terminal: process.stdout.isTTY === true,
    width: widthOf(output.env, process.stdout.columns),
    now: () => Date.now(),
    stop: stop.signal,
  };
  try {
    // A variable of a script that is not set: another namespace than the one that was meant.
    if (call.options["namespace"] === "") throw new UsageError('-n "": name a namespace, or leave the option out');
    const { run } = await load();
    return await run({ ...call, io, commands: COMMANDS });
  } catch (error) {
    if (stop.signal.aborted) return INTERRUPTED;
    io.err(`flipop: ${problemText(error)}\n`);
    return error instanceof UsageError ? usageCode : EXIT.failed;
  }
}

/** Where the input is no terminal, no person can answer. */
async function ask(question: string, stop: AbortController): Promise<string | undefined> {
  const { stdin, stderr } = process;
  return stdin.isTTY === true ? askPerson(question, stop, { input: stdin, output: stderr }) : undefined;
}
