/**
 * Prints the numbers for the structure of the code, and their targets. `npm run numbers`; `--details` lists the places.
 * `--check` prints only the numbers that need no build, and exits with 1 if a number that CI checks exceeds its target.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { VERSIONS } from "../../projenrc/versions.js";
import { allTexts, importGraph, linesOf, ROOT, SOURCE_FOLDERS } from "./imports.js";
import { type Measurement, measure } from "./measure.js";

/** The size of the bundle with the parts of its libraries that it calls, and some room. */
const MOST_BUNDLE_KB = 2870;
const { values: options } = parseArgs({ options: { check: { type: "boolean" }, details: { type: "boolean" } } });
const imports = importGraph();
const measurements = [
  ...measure({ lines: linesOf(imports), imports, texts: allTexts() }),
  ...(options.check ? [] : [duplicates(), bundle()]),
];
for (const one of measurements) print(one);
if (options.check && measurements.some(({ refused = [] }) => refused.length > 0)) process.exitCode = 1;

function print({ name, value, target, details, refused = [] }: Measurement): void {
  const mark = refused.length > 0 ? "FAILS" : value > target ? "above" : "ok";
  console.log(`${name.padEnd(46)} ${String(value).padStart(7)}  at most ${String(target).padStart(6)}  ${mark}`);
  for (const detail of options.details ? details : refused) console.log(`    ${detail}`);
}

/** jscpd counts them. npm downloads it on demand, because it has 38 MB and nothing else needs it. */
function duplicates(): Measurement {
  const folder = mkdtempSync(join(tmpdir(), "flipop-numbers-"));
  try {
    const jscpd = ["jscpd", "--min-lines", "6", "--format", "typescript", "--silent", "--reporters", "json"];
    const args = ["exec", "--yes", `--package=jscpd@${VERSIONS.jscpd}`, "--", ...jscpd, "--output", folder];
    const present = SOURCE_FOLDERS.filter((source) => statSync(join(ROOT, source), { throwIfNoEntry: false }));
    execFileSync("npm", [...args, ...present], { cwd: ROOT, stdio: "ignore" });
    const report = JSON.parse(readFileSync(join(folder, "jscpd-report.json"), "utf8")) as Report;
    const details = report.duplicates.map(({ firstFile, secondFile }) => `${place(firstFile)} ${place(secondFile)}`);
    return { name: "duplicate blocks of 6 lines", value: details.length, target: 0, details };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Report {
  readonly duplicates: readonly { readonly firstFile: Place; readonly secondFile: Place }[];
}

interface Place {
  readonly name: string;
  readonly start: number;
}

function place({ name, start }: Place): string {
  return `${name}:${start}`;
}

/** The kB of flipop's code and its libraries in the operator's image, without the sandbox. */
function bundle(): Measurement {
  const folder = mkdtempSync(join(tmpdir(), "flipop-bundle-"));
  try {
    execFileSync("npx", ["--no-install", "tsx", "bundle.ts", "--outdir", folder], {
      cwd: join(ROOT, "operator"),
      stdio: "ignore",
    });
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".mjs"));
    const details = files.map((file) => `${file}: ${kilobytes(join(folder, file))} kB`);
    const value = files.reduce((sum, file) => sum + kilobytes(join(folder, file)), 0);
    return { name: "kB of the operator's bundle", value, target: MOST_BUNDLE_KB, details };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function kilobytes(file: string): number {
  return Math.round(statSync(file).size / 1000);
}
