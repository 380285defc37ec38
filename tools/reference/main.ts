/** Writes the generated pages of docs/reference. `npm run reference`; a test fails when a page is not what this makes. */
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { referencePages } from "./pages.js";

const folder = resolve(import.meta.dirname, "../../docs/reference");
for (const [file, text] of Object.entries(referencePages())) writeFileSync(join(folder, file), text);
