/**
 * Selects the part of a story's output for the picture: the opening, some acts without their tables, and the summary.
 */

/** Acts that explain themselves in a few lines. */
export const SHOWN_ACTS: readonly number[] = [4, 7];

const CUT = "       ...";
const HEADING = /(?:Act (\d+): |Summary )/;

/** @param text the whole output, colours included */
export function excerpt(text: string): string {
  const [opening = [], ...parts] = sections(text.split("\n"));
  const shown: string[][] = [opening];
  for (const part of parts) {
    const act = HEADING.exec(part[0] ?? "")?.[1];
    if (act === undefined) shown.push(part);
    else if (SHOWN_ACTS.includes(Number(act))) shown.push(withoutTables(part));
    else if (shown.at(-1)?.[0] !== CUT) shown.push([CUT]);
  }
  return shown.map((lines) => lines.join("\n").trimEnd()).join("\n\n");
}

/** Each part begins with a heading, except the first one, which contains the lines before the headings. */
function sections(lines: readonly string[]): string[][] {
  const found: string[][] = [[]];
  for (const line of lines) {
    if (HEADING.test(line) && line.includes("----")) found.push([]);
    found.at(-1)?.push(line);
  }
  return found;
}

/** Tables and counts come after the first empty line. */
function withoutTables(part: readonly string[]): string[] {
  const end = part.indexOf("");
  return part.slice(0, end === -1 ? undefined : end);
}
