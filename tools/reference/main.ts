/**
 * Writes the generated pages of docs/reference, and the lines of the links in docs/explanation/tour.md. `npm run
 * reference`; a test fails if a page differs from the generated one.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { withLines } from "./links.js";
import { referencePages } from "./pages.js";

const root = resolve(import.meta.dirname, "../..");
for (const [file, text] of Object.entries(referencePages())) writeFileSync(join(root, "docs/reference", file), text);
const tour = join(root, "docs/explanation/tour.md");
writeFileSync(tour, withLines(readFileSync(tour, "utf8"), root));
