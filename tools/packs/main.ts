/**
 * `npm run packs`: packs the library into constructs/dist, for all languages with installed tools, and runs the apps of
 * the other languages. This downloads all dependencies before the tests, which have a time budget. `npm run packs --
 * js` packs only for these languages.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { pack, translateSnippets } from "./pack.js";
import { packSandbox } from "./pack-sandbox.js";
import { PACKS, ROOT } from "./paths.js";
import { PYTHON_LINTERS, pythonEnvironment } from "./python-environment.js";
import { runGo, runJava } from "./run-apps.js";
import { type Language, languagesOf, missingTools } from "./toolchains.js";

function main(): void {
  const wanted = languagesOf(process.argv.slice(2));
  timed("snippets", translateSnippets);
  for (const language of wanted) {
    const missing = missingTools(language);
    if (missing !== undefined) console.log(`SKIPPED, ${language}: needs ${missing}`);
    else timed(language, () => packAndFetch(language));
  }
  if (wanted.includes("js")) timed("sandbox", packSandbox);
  console.log(`packed into ${relative(ROOT, PACKS)}`);
}

function packAndFetch(language: Language): void {
  pack(language);
  if (language === "python") for (const packages of [undefined, PYTHON_LINTERS]) pythonEnvironment(packages);
  const outdir = mkdtempSync(join(tmpdir(), "flipop-pack-"));
  if (language === "go") runGo(outdir);
  if (language === "java") runJava(outdir);
  rmSync(outdir, { recursive: true });
}

function timed(what: string, work: () => void): void {
  const started = performance.now();
  work();
  console.log(`${what.padEnd(9)} ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

main();
