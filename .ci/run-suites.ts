/**
 * Runs the suites of the groups given as arguments (none: all), prints a table of times against budgets, and ends with
 * the sum of all tests. A suite that fails does not stop the others. Exit code 1 if one failed.
 */
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { addCounts, type Counts, NONE, parseCounts, sumLine } from "./counts.js";
import { SUITES, type Suite } from "./suites.js";

const ROOT = resolve(import.meta.dirname, "..");
const RESULTS = join(ROOT, ".ci", "results");

interface SuiteResult {
  readonly suite: Suite;
  readonly seconds: number;
  readonly counts: Counts;
  readonly failedCommands: readonly string[];
}

function main(groups: readonly string[]): number {
  const chosen = SUITES.filter((suite) => groups.length === 0 || groups.includes(suite.group));
  if (chosen.length === 0) {
    const known = [...new Set(SUITES.map((suite) => suite.group))].join(", ");
    console.error(`no suite in group "${groups.join(" ")}"; the groups are: ${known}`);
    return 2;
  }
  const results = chosen.map(runSuite);
  report(results);
  const failed = results.some((result) => result.failedCommands.length > 0 || result.counts.failed > 0);
  return failed ? 1 : 0;
}

function runSuite(suite: Suite): SuiteResult {
  mkdirSync(RESULTS, { recursive: true });
  const countsFile = join(RESULTS, `${suite.name.replaceAll(" ", "-")}.jsonl`);
  rmSync(countsFile, { force: true });
  const started = process.hrtime.bigint();
  const failedCommands = suite.commands.filter((command) => !succeeds(command, countsFile));
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  const counted = existsSync(countsFile) ? parseCounts(readFileSync(countsFile, "utf8")) : NONE;
  // A command that failed before it could count (lint, a file that does not load) is also a failure.
  const failed = Math.max(0, failedCommands.length - counted.failed);
  const uncounted = { ...NONE, failed, failedTests: failed > 0 ? failedCommands : [] };
  if (failed > 0) appendFileSync(countsFile, `${JSON.stringify(uncounted)}\n`);
  return { suite, seconds, counts: addCounts(counted, uncounted), failedCommands };
}

function succeeds(command: string, countsFile: string): boolean {
  console.log(`\n> ${command}`);
  const path = `${join(ROOT, "node_modules", ".bin")}:${process.env["PATH"] ?? ""}`;
  const env = { ...process.env, PATH: path, FLIPOP_TEST_COUNTS: countsFile };
  return spawnSync(command, { cwd: ROOT, env, shell: true, stdio: "inherit" }).status === 0;
}

function report(results: readonly SuiteResult[]): void {
  console.log("\nsuite                                      seconds  budget  tests");
  for (const { suite, seconds, counts } of results) {
    const times = `${seconds.toFixed(0).padStart(7)}  ${String(suite.budgetSeconds).padStart(6)}`;
    console.log(`${suite.name.padEnd(42)} ${times}  ${sumLine(counts)}`);
  }
  for (const { suite, seconds } of results.filter((result) => result.seconds > result.suite.budgetSeconds)) {
    console.log(`OVER BUDGET: ${suite.name} took ${seconds.toFixed(0)} s of ${suite.budgetSeconds} s`);
  }
  for (const { suite, failedCommands } of results) {
    for (const command of failedCommands) console.log(`FAILED: ${suite.name}: ${command}`);
  }
  console.log(sumLine(results.map((result) => result.counts).reduce(addCounts, NONE)));
}

process.exitCode = main(process.argv.slice(2));
