/** How everything else logs. The real one is made by create-logger.ts. */

/** Messages are constant, data is in fields; an Error goes into the field `error`. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** A logger that adds these fields to each line. */
  child(fields: object): Logger;
}

const ignore = () => undefined;

/** Says nothing: for tests, and where a logger is optional. */
export const silentLogger: Logger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  child: () => silentLogger,
};

/** The text of anything thrown, with its causes, for a log field or a condition. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.message === "" ? error.name : error.message;
  if (error.cause === undefined) return own;
  const cause = errorText(error.cause);
  return own.includes(cause) ? own : `${own}: ${cause}`;
}
