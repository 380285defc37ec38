"use strict";
// Mocha's "spec" reporter. In a suite it prints only failures, and writes its counts and the failed
// tests to the file that the suite runner reads.
const { appendFileSync } = require("node:fs");
const { reporters, Runner } = require("mocha");

const file = process.env.FLIPOP_TEST_COUNTS;

class SuiteReporter extends reporters.Base {
  constructor(runner, options) {
    super(runner, options);
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      this.epilogue();
      const { passes, failures, pending } = this.stats;
      const failedTests = this.failures.map(
        (test) => `${test.fullTitle()}: ${String(test.err?.message).split("\n", 1)}`,
      );
      appendFileSync(file, `${JSON.stringify({ passed: passes, failed: failures, skipped: pending, failedTests })}\n`);
    });
  }
}

module.exports = file ? SuiteReporter : reporters.Spec;
