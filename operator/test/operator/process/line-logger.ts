import { type Logger, silentLogger } from "../../../src/logging.js";

interface Lines {
  readonly logs: string[];
  /** Warnings and errors alone. */
  readonly complaints: string[];
}

/** Writes each line into the lists; with FLIPOP_TEST_LOG=none, into none. */
export function lineLogger({ logs, complaints }: Lines): Logger {
  const shown = (_key: string, value: unknown) => (value instanceof Error ? value.message : value);
  const line = (level: string) => (fields: object, message: string) => {
    const text = `${level} ${message} ${JSON.stringify(fields, shown)}`;
    logs.push(text);
    if (level === "warn" || level === "error") complaints.push(text);
  };
  const [debug, info, warn, error] = [line("debug"), line("info"), line("warn"), line("error")];
  const logger: Logger = { debug, info, warn, error, child: () => logger };
  return process.env["FLIPOP_TEST_LOG"] === "none" ? silentLogger : logger;
}
