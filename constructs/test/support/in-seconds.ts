import { runInNewContext } from "node:vm";

/** What `work` returns. Ends a regular expression that never ends, which no timeout of a test could. */
export function inSeconds<T>(seconds: number, work: () => T): T {
  return runInNewContext("work()", { work }, { timeout: seconds * 1000 }) as T;
}
