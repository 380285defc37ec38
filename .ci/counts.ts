/** The numbers of tests by outcome. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** The failures: the title of each test with the first line of its error, or the command that failed. */
  readonly failedTests: readonly string[];
}

export const NONE: Counts = { passed: 0, failed: 0, skipped: 0, failedTests: [] };

/** A line of the reporter: a mocha process begins (running: 1), or ends (running: -1) with its counts. */
interface Line extends Partial<Counts> {
  readonly running?: number;
}

/** The reporter's lines in a file: one JSON object per line. A mocha process without counts has failed. */
export function parseCounts(text: string): Counts {
  const lines = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
  const unended = lines.reduce((sum, { running = 0 }) => sum + running, 0);
  const failedTests = Array.from({ length: unended }, () => "a mocha process ended without counts");
  return lines
    .map(({ running: _, ...counts }) => ({ ...NONE, ...counts }))
    .reduce(addCounts, { ...NONE, failed: failedTests.length, failedTests });
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
