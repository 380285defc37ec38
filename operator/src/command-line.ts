/** How the commands of flipop read a command line: version, help, and messages in one form. */
import { RELEASE } from "cdk8s-flipop/api";
import { Command, CommanderError } from "commander";
import { SettingsError } from "./config.js";
import { USAGE } from "./exit.js";

/** Where a command writes. */
export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** @param help the command line that prints the help, without `--help` */
export function baseCommand(name: string, help: string, { out, err }: Output): Command {
  return new Command(name)
    .version(RELEASE, "-V, --version", "Print the version")
    .helpOption("-h, --help", "Print this help")
    .helpCommand("help [command]", "Print the help of a command")
    .configureOutput({ writeOut: out, writeErr: err, outputError: (text) => err(complaint(text, help)) })
    .exitOverride()
    .allowExcessArguments(false);
}

/** Commander's words about a mistake, in the form of ours, and where to read on. */
function complaint(text: string, help: string): string {
  const said = text
    .replace(/^error: /, "")
    .trimEnd()
    .replace(/\.$/, "")
    .replaceAll("\n", " ");
  return `flipop: ${said}: see ${help} --help\n`;
}

/** The exit code for a command line that was not understood, after its problems are printed; throws all else. */
export function usageError(error: unknown, { err }: Output): number {
  // Commander has said what was wrong; help and version end this way, too.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  if (!(error instanceof SettingsError)) throw error;
  for (const problem of error.problems) err(`flipop: ${problem}\n`);
  return USAGE;
}
