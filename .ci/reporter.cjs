"use strict";
// Mocha's "spec" reporter, which also leaves its counts where the suite runner can add them up.
const { appendFileSync } = require("node:fs");
const { reporters, Runner } = require("mocha");

module.exports = class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const file = process.env.FLIPOP_TEST_COUNTS;
    if (!file) return;
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = this.stats;
      appendFileSync(file, `${JSON.stringify({ passed: passes, failed: failures, skipped: pending })}\n`);
    });
  }
};
