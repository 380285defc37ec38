import { setTimeout as delay } from "node:timers/promises";
import { runInNewContext } from "node:vm";

/** Timeout and interval of a wait. */
export interface WaitOptions {
  /** Description of the condition, for the error. */
  readonly what: string;
  /** @default 60000 */
  readonly timeoutMs?: number;
  /** @default 50 */
  readonly intervalMs?: number;
  /** Ends the wait, which rejects with the AbortError. @default - none */
  readonly signal?: AbortSignal;
}

/**
 * Tries until the attempt returns a value other than undefined or false. An attempt that throws has failed; the last
 * error is the cause of the final one.
 */
export async function eventually<T>(
  attempt: () => Promise<T | undefined | false> | T | undefined | false,
  options: WaitOptions,
): Promise<T> {
  const timeoutMs = options.timeoutMs ?? 60_000;
  const deadline = performance.now() + timeoutMs;
  let last: unknown;
  do {
    try {
      const value = await attempt();
      if (value !== undefined && value !== false) return value;
    } catch (error) {
      last = error;
    }
    await delay(options.intervalMs ?? 50, undefined, options.signal && { signal: options.signal });
  } while (performance.now() < deadline);
  const detail = last instanceof Error ? `: ${last.message}` : "";
  throw new Error(`waited ${timeoutMs} ms for ${options.what}${detail}`, { cause: last });
}

/** What `work` returns. Ends a regular expression that never ends, which no timeout of a test could. */
export function inSeconds<T>(seconds: number, work: () => T): T {
  return runInNewContext("work()", { work }, { timeout: seconds * 1000 }) as T;
}
