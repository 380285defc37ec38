import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CONSTRUCTS, ROOT } from "../packs/paths.js";
import { run } from "../packs/run.js";
import { withPackageFolder } from "./assembly.js";
import { shortened } from "./shorten.js";

/** Path of the page of all classes and props. */
export const API_MD = join(CONSTRUCTS, "API.md");

/** The page of all classes and props, from the last compilation of the library. */
export function apiMd(): string {
  return withPackageFolder((folder) => {
    run(join(ROOT, "node_modules/.bin/jsii-docgen"), ["--output", "API.md"], { cwd: folder });
    return `${shortened(readFileSync(join(folder, "API.md"), "utf8")).trimEnd()}\n`;
  });
}
