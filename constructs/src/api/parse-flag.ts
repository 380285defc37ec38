import type { Flag } from "./config";

/** The value of a flag, or the problem with its text. */
export type ParsedFlag =
  | { readonly ok: true; readonly value: boolean | number | string | readonly string[] }
  | { readonly ok: false; readonly problem: string };

/**
 * Parses the text of a flag by the flag's type: `true` and `false` (also `1`, `t`, `0`, `f`, like Go's flags); a number
 * of seconds above 0, with or without the unit `s`; a whole number; comma-separated items; or the text itself.
 */
export function parseFlag(flag: Flag, text: string): ParsedFlag {
  switch (flag.type) {
    case "boolean":
      return parseBoolean(flag, text);
    case "seconds":
      return parseSeconds(flag, text);
    case "count":
      return /^\d{1,9}$/.test(text)
        ? { ok: true, value: Number(text) }
        : refused(flag, text, "give a whole number, such as 10");
    case "list":
      return parseList(flag, text);
    default:
      return flag.choices && !flag.choices.includes(text) ? notChosen(flag, text) : { ok: true, value: text };
  }
}

function parseBoolean(flag: Flag, text: string): ParsedFlag {
  const lower = text.toLowerCase();
  if (["true", "t", "1"].includes(lower)) return { ok: true, value: true };
  if (["false", "f", "0"].includes(lower)) return { ok: true, value: false };
  return refused(flag, text, "use true or false");
}

function parseSeconds(flag: Flag, text: string): ParsedFlag {
  const match = /^(\d+(\.\d+)?)s?$/.exec(text);
  const seconds = Number(match?.[1]);
  return seconds > 0
    ? { ok: true, value: seconds }
    : refused(flag, text, `give a number of seconds above 0, such as ${flag.default}`);
}

function parseList(flag: Flag, text: string): ParsedFlag {
  const items = text.split(",").map((item) => item.trim());
  const value = [...new Set(items.filter((item) => item !== ""))];
  if (!flag.choices) return { ok: true, value };
  const strange = value.length === 0 ? text : value.find((item) => flag.choices?.includes(item) !== true);
  return strange === undefined ? { ok: true, value } : notChosen(flag, strange);
}

function notChosen(flag: Flag, text: string): ParsedFlag {
  return refused(flag, text, `use ${(flag.choices ?? []).join(", ")}`);
}

function refused({ name }: Flag, text: string, fix: string): ParsedFlag {
  return { ok: false, problem: `"${text}" is not a valid value of ${name}: ${fix}` };
}
