/** A measured figure beside its target. */
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
  /** Which value has to be. @default worst */
  readonly by?: "median" | "worst";
  /**
   * Of the Go operator on the same work: measured in this run, or, as one value, on a machine like this one.
   * @default - not measured
   */
  readonly go?: number | string | readonly number[];
  /** Of the machine in the last minute, when the figure was taken: how many processes wanted a core. */
  readonly load?: number;
}

/** A case that did not come to its end. */
export interface Failure {
  readonly case: string;
  readonly error: unknown;
}

const HEAD = ["case", "figure", "ours", "target", "", "Go operator", "library informer", "load"];

/** For a terminal. */
export function textTable(rows: readonly Row[]): string {
  const cells = [HEAD, ...rows.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
  return cells.map((row) => line(row).trimEnd()).join("\n");
}

/** For docs/explanation/performance.md. A case is named once. */
export function markdownTable(rows: readonly Row[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`.replaceAll(/ +/g, " ");
  const cells = rows.map((row, index) => {
    const [name = "", ...rest] = cellsOf(row);
    return [name === rows[index - 1]?.case ? "" : name, ...rest];
  });
  return [HEAD, HEAD.map(() => "---"), ...cells].map(line).join("\n");
}

/** The rows of one case, with what a further round has seen of it. */
export function joined(rows: readonly Row[], more: readonly Row[]): readonly Row[] {
  if (rows.length === 0) return more;
  return rows.map((row, index) => {
    const again = more[index];
    if (again?.figure !== row.figure) throw new Error(`${row.case}: no second value of "${row.figure}"`);
    const { library, load = 0 } = row;
    const both = typeof library === "object" && typeof again.library === "object";
    const bothGo = typeof row.go === "object" && typeof again.go === "object";
    return {
      ...row,
      ours: [...row.ours, ...again.ours],
      ...(both ? { library: [...library, ...again.library] } : {}),
      ...(bothGo ? { go: [...(row.go as readonly number[]), ...(again.go as readonly number[])] } : {}),
      load: Math.max(load, again.load ?? 0),
    };
  });
}

export function isMissed({ ours, target, by = "worst" }: Row): boolean {
  if (target === undefined) return false;
  return ours.length === 0 || !((by === "median" ? median(ours) : Math.max(...ours)) <= target);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}

function cellsOf(row: Row): string[] {
  const { library = "" } = row;
  return [
    row.case,
    row.figure,
    spread(row.ours),
    ...verdictOn(row),
    goCell(row),
    typeof library === "string" ? library : spread(library),
    row.load?.toFixed(1) ?? "",
  ];
}

/** With the ratio of our figure to it where both come from this run. */
function goCell({ go = "", ours }: Row): string {
  if (typeof go !== "object") return String(go);
  return `${spread(go)}, ratio ${(median(ours) / median(go)).toFixed(2)}`;
}

/** The target, and whether it was met. */
function verdictOn(row: Row): [string, string] {
  if (row.target === undefined) return ["", ""];
  return [String(row.target), isMissed(row) ? "MISSED" : "met"];
}

/** `median (least - most)` */
function spread(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)].map(short);
  const middle = short(median(values));
  if (values.length === 0) return "";
  return least === most ? middle : `${middle} (${least} - ${most})`;
}

function short(value: number): string {
  if (Number.isInteger(value) || value >= 100) return value.toFixed(0);
  return value.toPrecision(value >= 10 ? 3 : 2);
}
