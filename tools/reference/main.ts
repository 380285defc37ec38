/**
 * Writes the generated pages of docs/reference. `npm run reference`; a test fails if a page differs from the generated
 * one.
 */
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { referencePages } from "./pages.js";

const folder = resolve(import.meta.dirname, "../../docs/reference");
for (const [file, text] of Object.entries(referencePages())) writeFileSync(join(folder, file), text);
