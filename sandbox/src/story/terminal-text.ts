/** Plain text for terminals of any width; colours where there is one that wants them. */

import { styleText } from "node:util";

export interface Style {
  /** Columns of the terminal. */
  readonly width: number;
  readonly colours: boolean;
}

export type Tone = "bold" | "dim" | "green" | "red" | "yellow" | "cyan";

/** Widths below this can't be read anyway. */
const LEAST_WIDTH = 60;
const USUAL_WIDTH = 100;
const MOST_WIDTH = 120;

/** @param out `process.stdout`, for example. See https://no-color.org for NO_COLOR. */
export function styleOf(
  out: { readonly isTTY?: boolean; readonly columns?: number },
  env: Readonly<Record<string, string | undefined>>,
): Style {
  const width = Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, out.columns ?? USUAL_WIDTH));
  return { width, colours: out.isTTY === true && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb" };
}

export function toned({ colours }: Style, tone: Tone, text: string): string {
  // Whether the stream takes colours has been asked already.
  return colours ? styleText(tone, text, { validateStream: false }) : text;
}

/** Breaks at spaces; lines after the first begin with `indent` spaces. Give it text without colours. */
export function wrapped({ width }: Style, text: string, indent: number): string {
  const lead = /^ */.exec(text)?.[0] ?? "";
  const lines: string[] = [];
  let line = lead;
  for (const word of text.slice(lead.length).split(" ")) {
    const longer = line.trim() === "" ? line + word : `${line} ${word}`;
    if (longer.length <= width || line.trim() === "") line = longer;
    else {
      lines.push(line);
      line = " ".repeat(indent) + word;
    }
  }
  return [...lines, line].join("\n");
}

/** Columns as wide as their widest cell; the last one is cut at the terminal's edge. */
export function table({ width }: Style, rows: readonly (readonly string[])[], indent: number): readonly string[] {
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) => {
    const cells = row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)));
    return cut(" ".repeat(indent) + cells.join("  "), width);
  });
}

function cut(line: string, width: number): string {
  return line.length <= width ? line : `${line.slice(0, width - 3)}...`;
}
