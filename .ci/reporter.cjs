"use strict";
// Mocha's "spec" reporter, which also writes its counts and the failed tests to the file that the suite runner reads.
const { appendFileSync } = require("node:fs");
const { reporters, Runner } = require("mocha");

module.exports = class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const file = process.env.FLIPOP_TEST_COUNTS;
    if (!file) return;
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = this.stats;
      const failedTests = this.failures.map(
        (test) => `${test.fullTitle()}: ${String(test.err?.message).split("\n", 1)}`,
      );
      appendFileSync(file, `${JSON.stringify({ passed: passes, failed: failures, skipped: pending, failedTests })}\n`);
    });
  }
};
