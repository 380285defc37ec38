/** What was seen, beside what was wished for. */
export interface Row {
  readonly case: string;
  /** With its unit. */
  readonly figure: string;
  /** One value for each run. */
  readonly ours: readonly number[];
  /** The same of the library's informer, or why there is none. @default - not measured */
  readonly library?: readonly number[] | string;
  /** The largest value that is well. @default - none */
  readonly target?: number;
  /** Of the Go operator on the same work, measured on a machine like this one. @default - not measured */
  readonly go?: number | string;
  /** Of the machine in the last minute, when the figure was taken: how many processes wanted a core. */
  readonly load?: number;
}

const HEAD = ["case", "figure", "ours", "library", "ratio", "Go operator", "target", "", "load"];

export function tableOf(rows: readonly Row[]): string {
  const cells = [HEAD, ...rows.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  return cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")).join("\n");
}

export function isMissed({ ours, target }: Row): boolean {
  return target !== undefined && (ours.length === 0 || Math.max(...ours) > target);
}

function cellsOf(row: Row): string[] {
  const { library } = row;
  const values = typeof library === "string" || library === undefined ? [] : library;
  return [
    row.case,
    row.figure,
    spread(row.ours),
    typeof library === "string" ? library : spread(values),
    values.length === 0 ? "" : `${(median(values) / median(row.ours)).toFixed(1)} x`,
    String(row.go ?? ""),
    ...verdictOn(row),
    row.load?.toFixed(1) ?? "",
  ];
}

/** The target, and whether it was met. */
function verdictOn(row: Row): [string, string] {
  if (row.target === undefined) return ["", ""];
  return [`<= ${row.target}`, isMissed(row) ? "MISSED" : "met"];
}

function spread(values: readonly number[]): string {
  if (values.length === 0) return "";
  const [least, most] = [Math.min(...values), Math.max(...values)].map(short);
  return least === most ? `${least}` : `${least} - ${most}`;
}

function short(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(value >= 10 ? 3 : 2);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
