/** Structured logs: text on a terminal, JSON elsewhere. Nothing leaves unredacted. */

import { pino, stdSerializers } from "pino";
import { prettyFactory } from "pino-pretty";
import type { Clock } from "./clock.js";
import type { Logger } from "./logging.js";
import type { Redactor } from "./redactor.js";

export type LogFormat = "text" | "json";

/** Where lines go; `process.stdout` fits. */
export interface LogOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface LoggerOptions {
  readonly clock: Pick<Clock, "now">;
  readonly redactor: Redactor;
  /** @default process.stdout */
  readonly output?: LogOutput;
  /** @default text on a terminal, else json */
  readonly format?: LogFormat;
  /** Also lines of level debug. @default false */
  readonly debug?: boolean;
}

export function createLogger({ clock, redactor, output = process.stdout, format, debug }: LoggerOptions): Logger {
  const text = (format ?? (output.isTTY === true ? "text" : "json")) === "text";
  const render = text ? prettyFactory({ colorize: output.isTTY === true, singleLine: true }) : (line: string) => line;
  return pino(
    {
      level: debug === true ? "debug" : "info",
      // pid and hostname say nothing in a container; the pod's name is in the log's own envelope.
      base: null,
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: debug === true ? stdSerializers.err : withoutStack, err: stdSerializers.err },
    },
    // The whole line is scrubbed, so that no field, message or stack is forgotten.
    { write: (line: string) => void output.write(render(redactor.scrub(line))) },
  );
}

/** Errors that servers cause: their message says all, and the stack would only show where it was read. */
const FORESEEN = ["StatusError", "NetworkError", "DeadlineError", "ProviderError"];

function withoutStack(error: unknown): unknown {
  const whole = stdSerializers.err(error as Error);
  if (!(error instanceof Error) || !FORESEEN.includes(error.name)) return whole;
  const { stack: _, props: __, ...rest } = { ...whole };
  return rest;
}
