import type { Flag } from "../../api/config";
import { parseFlag } from "../../api/parse-flag";

/** The problem of a flag's value, if there is one. An undefined value means that none was given. */
export function flagValueProblem(flag: Flag, value: string | undefined): string | undefined {
  // A boolean flag needs no value.
  const text = value ?? (flag.type === "boolean" ? "true" : undefined);
  if (text === undefined) return `"--${flag.name}" has no value: write it as --${flag.name}=value`;
  const parsed = parseFlag(flag, text);
  return parsed.ok ? undefined : parsed.problem;
}
