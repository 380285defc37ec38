import type { Flag } from "../api/config";
import { parseFlag } from "../api/flag-value";

/** What is wrong with the value of a flag (undefined: none was given), if anything is. */
export function flagValueProblem(flag: Flag, value: string | undefined): string | undefined {
  // A boolean may stand alone.
  const text = value ?? (flag.type === "boolean" ? "true" : undefined);
  if (text === undefined) return `"--${flag.name}" has no value: write it as --${flag.name}=value`;
  const parsed = parseFlag(flag, text);
  return parsed.ok ? undefined : parsed.problem;
}
