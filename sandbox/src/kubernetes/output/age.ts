const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** The time between an RFC 3339 time and now, as kubectl shows it: two units while young, one when old. */
export function age(since: unknown, now: number): string {
  const start = typeof since === "string" ? Date.parse(since) : Number.NaN;
  return Number.isNaN(start) ? "<unknown>" : humanDuration((now - start) / 1000);
}

/** Seconds as kubectl shows them; the limits are those of k8s.io/apimachinery's HumanDuration. */
export function humanDuration(exact: number): string {
  const seconds = Math.trunc(exact);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 2 * MINUTE) return `${seconds}s`;
  if (seconds < 10 * MINUTE) return two(seconds, [MINUTE, "m"], [1, "s"]);
  if (seconds < 3 * HOUR) return one(seconds, MINUTE, "m");
  if (seconds < 8 * HOUR) return two(seconds, [HOUR, "h"], [MINUTE, "m"]);
  return longDuration(seconds);
}

function longDuration(seconds: number): string {
  if (seconds < 2 * DAY) return one(seconds, HOUR, "h");
  if (seconds < 8 * DAY) return two(seconds, [DAY, "d"], [HOUR, "h"]);
  if (seconds < 2 * YEAR) return one(seconds, DAY, "d");
  if (seconds < 8 * YEAR) return two(seconds, [YEAR, "y"], [DAY, "d"]);
  return one(seconds, YEAR, "y");
}

type Unit = readonly [size: number, letter: string];

function one(seconds: number, size: number, letter: string): string {
  return `${Math.floor(seconds / size)}${letter}`;
}

function two(seconds: number, [big, bigLetter]: Unit, [small, smallLetter]: Unit): string {
  const rest = Math.floor((seconds % big) / small);
  return one(seconds, big, bigLetter) + (rest === 0 ? "" : `${rest}${smallLetter}`);
}
