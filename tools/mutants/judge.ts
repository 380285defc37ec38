/** Runs the tests that reach a mutant, in batches, until one fails. */

import type { Mutant } from "./sample.js";
import type { TestRun } from "./working-copy.js";

export interface Verdict {
  readonly outcome: "killed" | "survived" | "no test reaches it";
  /** The test that failed, or that the tests did not end. */
  readonly by?: string;
  /** The number of test files that ran. */
  readonly ran: number;
}

/** The part of a working copy that a verdict needs. */
export interface TestRunner {
  runWith(mutant: Mutant, tests: readonly string[]): Promise<TestRun>;
  run(tests: readonly string[]): Promise<TestRun>;
}

/** Sizes of the batches: the nearest tests nearly always decide, and each batch costs the start of a process. */
const BATCHES = [3, 6];

/** Which test files pass without a mutant. A file that fails by itself proves nothing about a mutant. */
export class Fitness {
  private readonly fit = new Set<string>();
  readonly unfit = new Set<string>();

  async areFit(runner: TestRunner, tests: readonly string[]): Promise<boolean> {
    const unknown = tests.filter((test) => !this.fit.has(test));
    const passed = unknown.length === 0 || (await runner.run(unknown)).passed;
    for (const test of unknown) (passed ? this.fit : this.unfit).add(test);
    return passed;
  }
}

/** @param tests the likeliest to fail first; those beyond the batches do not run */
export async function judge(
  runner: TestRunner,
  mutant: Mutant,
  tests: readonly string[],
  fitness: Fitness,
): Promise<Verdict> {
  let ran = 0;
  for (const [index, size] of BATCHES.entries()) {
    const first = BATCHES.slice(0, index).reduce((sum, one) => sum + one, 0);
    const batch = tests.slice(first, first + size);
    const failure = await failureOf(runner, mutant, batch, fitness);
    ran += batch.filter((test) => !fitness.unfit.has(test)).length;
    if (failure !== undefined) return { outcome: "killed", by: failure, ran };
  }
  return { outcome: ran === 0 ? "no test reaches it" : "survived", ran };
}

async function failureOf(
  runner: TestRunner,
  mutant: Mutant,
  batch: readonly string[],
  fitness: Fitness,
): Promise<string | undefined> {
  const tests = batch.filter((test) => !fitness.unfit.has(test));
  if (tests.length === 0) return undefined;
  const run = await runner.runWith(mutant, tests);
  if (run.passed) return undefined;
  if (await fitness.areFit(runner, run.file === undefined ? tests : [run.file]))
    return run.title ?? (run.timedOut ? "the tests do not end" : "a file does not load");
  return failureOf(runner, mutant, tests, fitness);
}
