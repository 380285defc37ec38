/** `metav1.MicroTime`: RFC 3339 with six digits of a second, which the API server insists on. */

const MICROS_IN_MS = 1000;
const MICRO_DIGITS = 3;

/** @param epochMs ms since the epoch; fractions become microseconds. */
export function microTime(epochMs: number): string {
  const ms = Math.floor(epochMs);
  const micros = Math.floor((epochMs - ms) * MICROS_IN_MS);
  return new Date(ms).toISOString().replace("Z", `${String(micros).padStart(MICRO_DIGITS, "0")}Z`);
}
