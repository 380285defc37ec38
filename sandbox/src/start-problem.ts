/** Why the sandbox does not start, in words that name the flag to change. */

import { errorText } from "flipop-operator/logging";

const PORT_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: "is taken by another process",
  EACCES: "may not be used by this user",
};

/** @param port as given with --port */
export function startProblem(error: unknown, port: number): string {
  const problem = PORT_PROBLEMS[(error as NodeJS.ErrnoException | null)?.code ?? ""];
  if (problem === undefined || port === 0) return errorText(error);
  return `--port: ${port} ${problem}: give another one, or leave the flag out for any free one`;
}
