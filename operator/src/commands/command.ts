/** What a command of the command line is: a line of the table in `commands.ts`, and a module that is loaded when it runs. */

import { isIp } from "cdk8s-flipop/api";
import type { Output } from "../command-line.js";

/** Where a command writes, and what it knows of its surroundings. */
export interface CommandIo extends Output {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Someone watches: tables may be cut to the width, and progress is shown. */
  readonly terminal: boolean;
  /** Takes away what the line of the terminal's error output shows. */
  readonly eraseLine: () => void;
  /** Of the terminal. */
  readonly width: number;
  /** ms since the epoch. */
  readonly now: () => number;
  /** Aborts at Ctrl-C or SIGTERM. */
  readonly stop: AbortSignal;
  /** Answers a question, one line. `undefined`: the input is no terminal. */
  readonly ask: (question: string) => Promise<string | undefined>;
}

export interface CommandCall {
  /** All commands, for completion. */
  readonly commands: readonly CommandSpec[];
  readonly args: readonly string[];
  /** By name, without dashes. */
  readonly options: Readonly<Record<string, string | true | readonly string[] | undefined>>;
  readonly io: CommandIo;
}

/** What the command line says. */
export type ParsedCall = Pick<CommandCall, "args" | "options">;

export interface CommandModule {
  /** Resolves to the exit code. */
  run(call: CommandCall): Promise<number>;
}

export interface CommandOption {
  /** As `--help` shows it: `-o, --output <format>`. */
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
}

export interface CommandArgument {
  /** As `--help` shows it: `<resource>`, `[node]`. */
  readonly name: string;
  readonly description: string;
}

export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  /** Lines of the reference page: what the summary leaves out. */
  readonly details: readonly string[];
  readonly args: readonly CommandArgument[];
  readonly options: readonly CommandOption[];
  /** What it needs to be allowed, beside the five kinds, for the reference. */
  readonly reads: string;
  readonly examples: readonly string[];
  /** The exit code for a command line that can't be understood. @default 2 */
  readonly usageCode?: number;
  /** Keeps the command out of the operator's memory. */
  readonly load: () => Promise<CommandModule>;
}

/** What the command saw, what that means, and what to do. The process prints it and ends with code 1. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** A command line that cannot be meant, whatever the cluster has: the process ends with code 2. */
export class UsageError extends CommandError {}

/** @throws UsageError for an argument that is none */
export function checkIp(text: string): void {
  if (!isIp(text)) throw new UsageError(`"${text}" is no IP address: write it as 203.0.113.7 or 2001:db8::7`);
}

/** The text of an option that takes a value. */
export function textOption({ options }: Pick<CommandCall, "options">, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The values of an option that takes several. */
export function listOption({ options }: Pick<CommandCall, "options">, name: string): readonly string[] {
  const value = options[name];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}
