/**
 * Changes the code in small ways, one at a time, and lists the changes that no test notices.
 * `npm run mutants -- --seed S --count 100 [--since REV] [--at FILE:LINE] [--jobs 2]`
 * A second call with the same seed continues the first one from its file in `dist/mutants`.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { importGraph, ROOT } from "../numbers/imports.js";
import { Fitness, judge, type Verdict } from "./judge.js";
import { IMPORTING_FOLDERS, reachingTests } from "./reaching-tests.js";
import { changedLines, MUTATED_FOLDERS, type Mutant, mutantsOf, shuffled } from "./sample.js";
import { TypeCheck } from "./type-check.js";
import { WorkingCopy } from "./working-copy.js";

type Result = Verdict & Pick<Mutant, "id" | "file" | "line" | "change" | "before" | "after">;

const { values: options } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "100" },
    since: { type: "string" },
    at: { type: "string" },
    jobs: { type: "string", default: "2" },
  },
});
const git = (...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 2 ** 28 });
const imports = importGraph(IMPORTING_FOLDERS);
const resultsFile = join(ROOT, "dist/mutants", `${options.seed}.jsonl`);
const results = new Map(options.at === undefined ? earlierResults().map((one) => [one.id, one]) : []);

const taken: Mutant[] = [];
const fitness = new Fitness();

const copies = Array.from({ length: Number(options.jobs) }, () => new WorkingCopy(options.seed));
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, () => {
    for (const copy of copies) copy.remove();
    process.exit(1);
  });
try {
  console.log(`mutants of ${git("rev-parse", "--short", "HEAD").trim()}, seed ${options.seed}`);
  const mutants = chosen(copies[0]?.root ?? ROOT);
  await Promise.all(copies.map((copy) => work(copy, mutants)));
  report();
} finally {
  for (const copy of copies) copy.remove();
}

function earlierResults(): readonly Result[] {
  if (!existsSync(resultsFile)) return [];
  const lines = readFileSync(resultsFile, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Result);
}

/** The first mutants of the sample that compile and have no result. All jobs take from the same iterator. */
function* chosen(root: string): Generator<Mutant> {
  const types = new TypeCheck(root);
  for (const mutant of shuffled(candidates(root), options.seed, options.at !== undefined)) {
    if (taken.length === Number(options.count)) return;
    const known = results.has(mutant.id);
    if (!known && !types.compiles(mutant)) continue;
    taken.push(mutant);
    if (!known) yield mutant;
  }
}

function candidates(root: string): readonly Mutant[] {
  const [atFile, atLine] = options.at?.split(":") ?? [];
  const changed =
    options.since === undefined
      ? undefined
      : changedLines(git("diff", "--unified=0", "--find-renames", options.since, "--", ...MUTATED_FOLDERS));
  return [...imports.keys()]
    .filter((file) => MUTATED_FOLDERS.some((folder) => file.startsWith(`${folder}/`)))
    .filter((file) => (atFile === undefined || file === atFile) && (changed?.has(file) ?? true))
    .flatMap((file) => mutantsOf(file, readFileSync(join(root, file), "utf8"), changed?.get(file)))
    .filter(({ line }) => atLine === undefined || line === Number(atLine));
}

async function work(copy: WorkingCopy, mutants: Iterable<Mutant>): Promise<void> {
  for (const mutant of mutants) {
    const workspace = mutant.file.slice(0, mutant.file.indexOf("/") + 1);
    const tests = reachingTests(imports, mutant.file).filter((test) => test.startsWith(workspace));
    const { id, file, line, change, before, after } = mutant;
    const verdict = await judge(copy, mutant, tests, fitness);
    const result = { id, file, line, change, before, after, ...verdict };
    results.set(id, result);
    console.log(`${results.size} ${result.outcome} ${file}:${line} ${change} ${result.by ?? ""}`);
    if (options.at !== undefined) continue;
    mkdirSync(join(resultsFile, ".."), { recursive: true });
    appendFileSync(resultsFile, `${JSON.stringify(result)}\n`);
  }
}

function report(): void {
  const judged = taken.flatMap((mutant) => results.get(mutant.id) ?? []);
  const alive = judged.filter(({ outcome }) => outcome !== "killed");
  for (const { file, line, change, before, after, outcome } of alive)
    console.log(`\n${file}:${line} ${outcome}: ${change}\n  - ${before}\n  + ${after}`);
  for (const file of fitness.unfit) console.log(`not used, because it fails without a mutant: ${file}`);
  console.log(`\n${judged.length - alive.length} killed, ${alive.length} not`);
  if (alive.length > 0) process.exitCode = 1;
}
