/** Text in columns, and the two machine-readable forms. */

import { stringify } from "yaml";

const GAP = "   ";

/** Text of others must not begin a line of the output. */
export function onRow(text: string): string {
  return text.replace(/\s*[\r\n]\s*/g, " ");
}

/** The widest cell sets the width of its column; the last column has none. */
export function tableText(cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map(onRow));
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  return rows.map((row) => `${lineOf(row, widths)}\n`).join("");
}

function lineOf(row: readonly string[], widths: readonly number[]): string {
  const last = row.length - 1;
  return row
    .map((cell, column) => (column === last ? cell : cell.padEnd(widths[column] ?? 0)))
    .join(GAP)
    .trimEnd();
}

/** Each line is cut to the width of the terminal. */
export function fitted(text: string, width: number): string {
  return text
    .split("\n")
    .map((line) => (line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1))}…`))
    .join("\n");
}

/** Without its middle, if it has more than `most` characters. */
export function withoutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = Math.floor((most - 1) / 2);
  return `${text.slice(0, most - 1 - end)}…${text.slice(text.length - end)}`;
}

/** `45s`, `12m`, `3h`, `5d`, as kubectl writes ages. */
export function age(since: string | undefined, now: number): string {
  const seconds = Math.floor((now - Date.parse(since ?? "")) / 1000);
  if (!(seconds >= 0)) return "";
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)}m`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

export function dataText(value: unknown, format: "json" | "yaml"): string {
  if (format === "json") return `${JSON.stringify(value, undefined, 2)}\n`;
  return stringify(value, { lineWidth: 0 });
}
