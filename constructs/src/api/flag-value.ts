import type { Flag } from "./config";

/** What the text of a flag means, or why it means nothing. */
export type ParsedFlag =
  | { readonly ok: true; readonly value: boolean | number | string | readonly string[] }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads the text of a flag as its type says: `true` and `false` (also `1`, `t`, `0`, `f`, as Go's flags do); a number
 * of seconds above 0, with or without the unit `s`; items between commas; or the text itself.
 */
export function parseFlag(flag: Flag, text: string): ParsedFlag {
  switch (flag.type) {
    case "boolean":
      return parseBoolean(flag, text);
    case "seconds":
      return parseSeconds(flag, text);
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
    : refused(flag, text, `give seconds, more than 0, such as ${flag.default}`);
}

function parseList(flag: Flag, text: string): ParsedFlag {
  const items = text.split(",").map((item) => item.trim());
  const value = [...new Set(items.filter((item) => item !== ""))];
  if (!flag.choices) return { ok: true, value };
  const known = value.length > 0 && value.every((item) => flag.choices?.includes(item));
  return known ? { ok: true, value } : notChosen(flag, text);
}

function notChosen(flag: Flag, text: string): ParsedFlag {
  return refused(flag, text, `use ${(flag.choices ?? []).join(", ")}`);
}

function refused({ name }: Flag, text: string, fix: string): ParsedFlag {
  return { ok: false, problem: `"${text}" is not a value of ${name}: ${fix}` };
}
