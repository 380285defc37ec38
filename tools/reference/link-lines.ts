/** Links from a page to declarations: [`name`](../../folder/file.ts#L12). The line follows the declaration. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const LINK = /\[`([\w.]+)`\]\(((?:\.\.\/)+([\w./-]+\.ts))#L\d+\)/g;

/** @returns the page with the current lines. @throws Error if a file does not declare the name that a link shows. */
export function withLines(page: string, root: string): string {
  return page.replaceAll(LINK, (_, name: string, href: string, path: string) => {
    const line = lineOf(readFileSync(join(root, path), "utf8"), name.split(".").at(-1) ?? name);
    if (line === 0) throw new Error(`${path} declares no ${name}: correct the link`);
    return `[\`${name}\`](${href}#L${line})`;
  });
}

/** The files that a page links to in this way, each once. */
export function linkedFiles(page: string): readonly string[] {
  return [...new Set([...page.matchAll(LINK)].map(([, , , path = ""]) => path))];
}

/** Counted from 1; 0: the text does not declare the name. */
function lineOf(text: string, name: string): number {
  const top = `^(export )?(async )?(function|class|interface|type|const) ${name}\\b`;
  const member = `^ +((private|protected|readonly|static|async|get) )*${name}[(<:?]`;
  const lines = text.split("\n");
  for (const pattern of [top, member]) {
    const index = lines.findIndex((line) => new RegExp(pattern).test(line));
    if (index >= 0) return index + 1;
  }
  return 0;
}
