/**
 * `tsx .ci/run-suites.ts GROUP...` runs the suites of the groups, prints a table of times against budgets, and ends with
 * the sum of all tests. With `--lanes 3`, three suites run at a time. A suite that fails does not stop the others. Exit
 * code 1 if one failed.
 */
import { spawn } from "node:child_process";
import { appendFileSync, createWriteStream, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative, resolve } from "node:path";
import { finished } from "node:stream/promises";
import { parseArgs } from "node:util";
import { addCounts, type Counts, NONE, parseCounts, sumLine } from "./counts.js";
import { runInLanes } from "./lanes.js";
import { SUITES, type Suite } from "./suites.js";

const ROOT = resolve(import.meta.dirname, "..");
const RESULTS = join(ROOT, ".ci", "results");
const LOGS = join(ROOT, ".ci", "logs");
const MOST_LINES = 200;
/** Budgets are for CI's machine. On others, and on a busy one, the comparison says nothing. */
const COMPARES = process.env["FLIPOP_BUDGETS"] === "1";

interface SuiteResult {
  readonly suite: Suite;
  readonly seconds: number;
  readonly counts: Counts;
  readonly failedCommands: readonly string[];
}

async function main(args: readonly string[]): Promise<number> {
  const options = { lanes: { type: "string", default: "1" } } as const;
  const { positionals: groups, values } = parseArgs({ args: [...args], options, allowPositionals: true });
  const chosen = SUITES.filter((suite) => groups.includes(suite.group));
  if (chosen.length === 0) {
    const known = [...new Set(SUITES.map((suite) => suite.group))].join(", ");
    console.error(`no suite in group "${groups.join(" ")}"; the groups are: ${known}`);
    return 2;
  }
  const lanes = Number(values.lanes);
  if (!Number.isInteger(lanes) || lanes < 1) {
    console.error(`--lanes ${values.lanes}: give a whole number of at least 1`);
    return 2;
  }
  const results = await runInLanes(chosen, lanes, runSuite);
  report(results);
  const failed = results.some((result) => result.failedCommands.length > 0 || result.counts.failed > 0);
  return failed ? 1 : 0;
}

async function runSuite(suite: Suite): Promise<SuiteResult> {
  mkdirSync(RESULTS, { recursive: true });
  const countsFile = join(RESULTS, `${suite.name.replaceAll(" ", "-")}.jsonl`);
  rmSync(countsFile, { force: true });
  const started = process.hrtime.bigint();
  const failedCommands = await failuresOf(suite, countsFile);
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  const counted = existsSync(countsFile) ? parseCounts(readFileSync(countsFile, "utf8")) : NONE;
  // A command that failed before it could count (lint, a file that does not load) is also a failure.
  const failed = Math.max(0, failedCommands.length - counted.failed);
  const uncounted = { ...NONE, failed, failedTests: failed > 0 ? failedCommands : [] };
  if (failed > 0) appendFileSync(countsFile, `${JSON.stringify(uncounted)}\n`);
  return { suite, seconds, counts: addCounts(counted, uncounted), failedCommands };
}

/** The commands of the suite that failed. The commands of a parallel suite run on two lanes, the longest first. */
async function failuresOf(suite: Suite, countsFile: string): Promise<readonly string[]> {
  const failed: string[] = [];
  const left = [...suite.commands.entries()];
  const lane = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, command] = next;
      const log = join(LOGS, `${suite.name.replaceAll(" ", "-")}-${index + 1}.log`);
      if (!(await succeeds(command, { countsFile, log }))) failed.push(command);
    }
  };
  const lanes = suite.parallel === true ? Math.min(2, availableParallelism()) : 1;
  await Promise.all(Array.from({ length: lanes }, lane));
  return failed;
}

interface Files {
  readonly countsFile: string;
  /** Receives the command's whole output; the terminal shows it only after a failure. */
  readonly log: string;
}

async function succeeds(command: string, { countsFile, log }: Files): Promise<boolean> {
  mkdirSync(LOGS, { recursive: true });
  const path = `${join(ROOT, "node_modules", ".bin")}:${process.env["PATH"] ?? ""}`;
  const env = { ...process.env, PATH: path, FLIPOP_TEST_COUNTS: countsFile };
  const started = process.hrtime.bigint();
  const child = spawn(command, { cwd: ROOT, env, shell: true, stdio: ["ignore", "pipe", "pipe"] });
  const file = createWriteStream(log);
  child.stdout.pipe(file, { end: false });
  child.stderr.pipe(file, { end: false });
  const code = await new Promise<number | null>((done) => child.once("close", done));
  file.end();
  await finished(file);
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  console.log(`${code === 0 ? "ok    " : "FAILED"} ${seconds.toFixed(0).padStart(4)} s  ${command}`);
  for (const reason of skips(readFileSync(log, "utf8"))) console.log(`       ${reason}`);
  if (code !== 0) console.log(`${lastLines(readFileSync(log, "utf8"))}\nthe whole output: ${relative(ROOT, log)}`);
  return code === 0;
}

/** The reasons that `skip` of the testbed printed, each once. */
function skips(text: string): readonly string[] {
  return [...new Set(text.split("\n").filter((line) => line.startsWith("SKIPPED, ")))];
}

/** The end of a log, where the reporters list the failures. */
function lastLines(text: string): string {
  return text.trimEnd().split("\n").slice(-MOST_LINES).join("\n");
}

function report(results: readonly SuiteResult[]): void {
  console.log(`\n${"suite".padEnd(42)} seconds${COMPARES ? "  budget" : ""}  tests`);
  for (const { suite, seconds, counts } of results) {
    const budget = COMPARES ? `  ${String(suite.budgetSeconds).padStart(6)}` : "";
    console.log(`${suite.name.padEnd(42)} ${seconds.toFixed(0).padStart(7)}${budget}  ${sumLine(counts)}`);
  }
  const over = results.filter((result) => COMPARES && result.seconds > result.suite.budgetSeconds);
  for (const { suite, seconds } of over) {
    console.log(`OVER BUDGET: ${suite.name} took ${seconds.toFixed(0)} s of ${suite.budgetSeconds} s`);
  }
  for (const { suite, failedCommands } of results) {
    for (const command of failedCommands) console.log(`FAILED: ${suite.name}: ${command}`);
  }
  console.log(sumLine(results.map((result) => result.counts).reduce(addCounts, NONE)));
}

process.exitCode = await main(process.argv.slice(2));
