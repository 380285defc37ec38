import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CONSTRUCTS, ROOT } from "../packs/paths.js";
import { run } from "../packs/run-command.js";
import { withPackageFolder } from "./assembly.js";
import { shortened } from "./shorten-api-md.js";

/** Path of the page of all classes and props. */
export const API_MD = join(CONSTRUCTS, "API.md");

/** The languages of the pages that only the npm package contains. */
const OTHER_LANGUAGES = ["python", "java", "go"] as const;

/**
 * Writes the pages of the other languages beside API.md. They are not in the repository, because each change of the API
 * changes all of them.
 *
 * @param tablet the translated snippets
 */
export function writeOtherPages(tablet: string): void {
  withPackageFolder((folder) => {
    copyFileSync(tablet, join(folder, ".jsii.tabl.json"));
    for (const language of OTHER_LANGUAGES) {
      const page = `API.${language}.md`;
      run(join(ROOT, "node_modules/.bin/jsii-docgen"), ["--language", language, "--output", page], { cwd: folder });
      const text = shortened(readFileSync(join(folder, page), "utf8"));
      writeFileSync(join(CONSTRUCTS, page), `${text.trimEnd()}\n`);
    }
  });
}

/** The paths of those pages. */
export function otherPages(): readonly string[] {
  return OTHER_LANGUAGES.map((language) => join(CONSTRUCTS, `API.${language}.md`));
}

/** The page of all classes and props, from the last compilation of the library. */
export function apiMd(): string {
  return withPackageFolder((folder) => {
    run(join(ROOT, "node_modules/.bin/jsii-docgen"), ["--output", "API.md"], { cwd: folder });
    return `${shortened(readFileSync(join(folder, "API.md"), "utf8")).trimEnd()}\n`;
  });
}
