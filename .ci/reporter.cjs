"use strict";
// Mocha's "spec" reporter, which also leaves its counts, and which tests failed, where the suite runner adds them up.
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
