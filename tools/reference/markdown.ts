/** Rows of a Markdown table, with its head. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(escapeCell).join(" | ")} |`);
}

export function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|");
}

export function code(text: string): string {
  return `\`${text}\``;
}

/** Words as code, separated by commas. */
export function codes(words: readonly string[]): string {
  return words.map(code).join(", ");
}

/** The line at the top of a page. */
export function generatedFrom(source: string): string {
  return `<!-- Generated from ${source} by \`npm run reference\`; edit it there. -->`;
}
