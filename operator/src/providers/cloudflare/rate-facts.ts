/** What the headers of an answer tell of the rate limit and of waiting. */

import { SECOND_MS } from "../../bounds.js";
import type { RateFacts } from "../call.js";
import { readRetryAfter } from "../network-errors.js";

/**
 * `ratelimit: "default";r=50;t=30` (left, seconds to the next window) and `ratelimit-policy: "default";q=1200;w=300`
 * (quota, window), each a list; of several limits the one with the least left. Cloudflare's changelog, 2025-09-03.
 * @param nowMs wall clock.
 */
export function readRateFacts(headers: Headers, nowMs: number): RateFacts | undefined {
  const policies = parseList(headers.get("ratelimit-policy"));
  const facts = parseList(headers.get("ratelimit")).flatMap(({ name, numbers }): RateFacts[] => {
    const limit = policies.find((policy) => policy.name === name)?.numbers.get("q");
    const remaining = numbers.get("r");
    const seconds = numbers.get("t");
    if (limit === undefined || remaining === undefined) return [];
    return [{ limit, remaining, ...(seconds === undefined ? {} : { resetAt: nowMs + seconds * SECOND_MS }) }];
  });
  return facts.sort((a, b) => a.remaining - b.remaining)[0];
}

/** `retry-after` in seconds or as a date; else, when nothing is left, the time to the next window. */
export function readWait(headers: Headers, nowMs: number): number | undefined {
  const said = readRetryAfter(headers.get("retry-after"), nowMs);
  if (said !== undefined) return said;
  const facts = readRateFacts(headers, nowMs);
  if (facts?.remaining !== 0 || facts.resetAt === undefined) return undefined;
  return (facts.resetAt - nowMs) / SECOND_MS;
}

interface Item {
  readonly name: string;
  readonly numbers: ReadonlyMap<string, number>;
}

/** Items that are not understood are left out. */
function parseList(value: string | null): readonly Item[] {
  return (value ?? "").split(",").flatMap((item): Item[] => {
    const [name, ...parameters] = item.split(";").map((part) => part.trim());
    if (name === undefined || name === "") return [];
    const numbers = parameters.flatMap((parameter): [string, number][] => {
      const found = /^([a-z]+)=(\d+)$/.exec(parameter);
      return found?.[1] === undefined ? [] : [[found[1], Number(found[2])]];
    });
    return [{ name, numbers: new Map(numbers) }];
  });
}
