/** The numbers of tests by outcome. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** The failures: the title of each test with the first line of its error, or the command that failed. */
  readonly failedTests: readonly string[];
}

export const NONE: Counts = { passed: 0, failed: 0, skipped: 0, failedTests: [] };

/** The reporter's counts in a file: one JSON object per line, one line for each mocha process. */
export function parseCounts(text: string): Counts {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Counts)
    .reduce(addCounts, NONE);
}

export function addCounts(a: Counts, b: Counts): Counts {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    failedTests: [...a.failedTests, ...b.failedTests],
  };
}

/** The last line of a run. Other tools parse it, so do not change its form. */
export function sumLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
