/**
 * Searches docs, comments and strings for the banned constructions of tools/words/rules.ts. `npm run words`; with names of
 * files it lists their findings. `--update` removes files without findings from tools/words/remaining.txt, and adds moved
 * files, unless the list would grow.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { allFindings, REMAINING_FILE, remainingFiles } from "./check.js";

const { values: options, positionals } = parseArgs({
  options: { update: { type: "boolean" } },
  allowPositionals: true,
});
const findings = allFindings();
const listed = remainingFiles();

if (options.update) update();
else report(positionals.length > 0 ? positionals : [...findings.keys()].filter((file) => !listed.includes(file)));

function report(files: readonly string[]): void {
  for (const file of files)
    for (const { line, found, instead } of findings.get(file) ?? [])
      console.log(`${file}:${line}: "${found}": ${instead}`);
  const unexpected = files.some((file) => findings.has(file) && !listed.includes(file));
  if (unexpected) process.exitCode = 1;
}

function update(): void {
  const files = [...findings.keys()].sort();
  if (files.length > listed.length) {
    console.error(`${files.length} files have findings and ${listed.length} are listed: rewrite the new ones`);
    report(files.filter((file) => !listed.includes(file)));
    process.exitCode = 1;
    return;
  }
  writeFileSync(REMAINING_FILE, `# Files that are still to be rewritten: npm run words -- FILE\n${files.join("\n")}\n`);
}
