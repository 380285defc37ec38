/** Times as statuses write them, and as people read them. */

import { SECOND_MS } from "./bounds.js";

/** RFC 3339 with milliseconds: a cool-off may be a fraction of a second. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}

/** ms since the epoch; `undefined` if the text is not a time. */
export function timeOf(text: string | undefined): number | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** `10:02:11`, UTC; whole seconds, rounded up, so that no reader looks too early. */
export function clockTime(ms: number): string {
  return new Date(Math.ceil(ms / SECOND_MS) * SECOND_MS).toISOString().slice(11, 19);
}

/** `12 s`, `3 min`, `2 h`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / SECOND_MS));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
