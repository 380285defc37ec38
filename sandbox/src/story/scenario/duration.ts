/** Times of scenarios: `90s`, `2m`, `1h30m`. And story times for people: `03:07`. */

const PARTS = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?$/;
const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** ms; undefined for a text that is no duration. */
export function parseDuration(text: string): number | undefined {
  const parts = PARTS.exec(text);
  if (parts === null || text === "") return undefined;
  const [hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  return hours * HOUR_MS + minutes * MINUTE_MS + seconds * SECOND_MS;
}

/** `03:07`, `71:00`: minutes and seconds since the start. */
export function storyTime(ms: number): string {
  const seconds = Math.floor(ms / SECOND_MS);
  return [Math.floor(seconds / 60), seconds % 60].map((part) => String(part).padStart(2, "0")).join(":");
}

/** `4.2 s`, `64 s`. */
export function secondsText(ms: number): string {
  const seconds = ms / SECOND_MS;
  return seconds < 10 ? `${Math.round(seconds * 10) / 10} s` : `${Math.round(seconds)} s`;
}
