"use strict";
// Mocha's "spec" reporter. In a suite it prints only failures, and writes its counts and the failed
// tests to the file that the suite runner reads. A first line shows that it runs: mocha exits with 0
// where a signal ends it.
const { appendFileSync } = require("node:fs");
const { reporters, Runner } = require("mocha");

const file = process.env.FLIPOP_TEST_COUNTS;

class SuiteReporter extends reporters.Base {
  constructor(runner, options) {
    super(runner, options);
    write({ running: 1 });
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      this.epilogue();
      const { passes, failures, pending } = this.stats;
      const failedTests = this.failures.map(
        (test) => `${test.fullTitle()}: ${String(test.err?.message).split("\n", 1)}`,
      );
      write({ running: -1, passed: passes, failed: failures, skipped: pending, failedTests });
    });
  }
}

function write(line) {
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

module.exports = file ? SuiteReporter : reporters.Spec;
