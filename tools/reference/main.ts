/**
 * Writes the generated pages of docs/reference, the situations of docs/how-to/troubleshoot.md, and the lines of the links in docs/explanation/tour.md. `npm run
 * reference`; a test fails if a page differs from the generated one.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { withLines } from "./links.js";
import { referencePages } from "./pages.js";
import { withSituations } from "./situations.js";

const root = resolve(import.meta.dirname, "../..");
for (const [file, text] of Object.entries(referencePages())) writeFileSync(join(root, "docs/reference", file), text);
const troubleshoot = join(root, "docs/how-to/troubleshoot.md");
writeFileSync(troubleshoot, withSituations(readFileSync(troubleshoot, "utf8")));
const tour = join(root, "docs/explanation/tour.md");
writeFileSync(tour, withLines(readFileSync(tour, "utf8"), root));
