/**
 * Writes the generated pages of docs/reference, the situations of docs/how-to/troubleshoot.md, the lines of the links in
 * docs/explanation/tour.md, and the version in pages and examples. `npm run reference`; a test fails if a page differs
 * from the generated one.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { withLines } from "./link-lines.js";
import { referencePages } from "./pages.js";
import { withSituations } from "./troubleshoot-page.js";
import { filesWithRelease, withRelease } from "./version-in-pages.js";

const root = resolve(import.meta.dirname, "../..");
for (const [file, text] of Object.entries(referencePages())) writeFileSync(join(root, "docs/reference", file), text);
rewrite("docs/how-to/troubleshoot.md", withSituations);
rewrite("docs/explanation/tour.md", (text) => withLines(text, root));
for (const file of filesWithRelease(root)) rewrite(file, withRelease);

function rewrite(file: string, change: (text: string) => string): void {
  const path = join(root, file);
  const text = readFileSync(path, "utf8");
  const changed = change(text);
  if (changed !== text) writeFileSync(path, changed);
}
