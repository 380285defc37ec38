import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect } from "chai";
import { describe, it } from "mocha";
import { parse } from "yaml";
import { addCounts, NONE, parseCounts, sumLine } from "../.ci/counts.js";
import { SUITES } from "../.ci/suites.js";

describe("the sum over all suites", () => {
  it("adds up the counts and failures of each mocha process", () => {
    const runs = [
      { passed: 2, failed: 1, skipped: 0, failedTests: ["a node is full: expected 1 to equal 2"] },
      { passed: 3, failed: 0, skipped: 4, failedTests: [] },
    ];
    const text = runs.map((run) => `${JSON.stringify(run)}\n`).join("");
    const failedTests = ["a node is full: expected 1 to equal 2"];
    expect(parseCounts(text)).to.deep.equal({ passed: 5, failed: 1, skipped: 4, failedTests });
  });

  it("is zero if no test ran", () => {
    expect(addCounts(parseCounts(""), NONE)).to.deep.equal(NONE);
  });

  it("ends with the line that other tools parse", () => {
    expect(sumLine({ ...NONE, passed: 123, skipped: 2 })).to.match(/^\d+ passed, \d+ failed, \d+ skipped$/);
  });
});

describe("the suites of CI", () => {
  it("have unique names, because each writes a file with its name", () => {
    expect(new Set(SUITES.map(({ name }) => name)).size).to.equal(SUITES.length);
  });

  it("fit into half an hour", () => {
    // The server's group and two others run at the same time; .ci/run does not run group check.
    const seconds = (...groups: readonly string[]) =>
      SUITES.filter(({ group }) => groups.includes(group)).reduce((sum, { budgetSeconds }) => sum + budgetSeconds, 0);
    const longest = Math.max(seconds("server"), seconds("checks", "nodes"), seconds("constructs"));
    expect(seconds("unit") + longest).to.be.at.most(30 * 60);
  });

  it("run on GitHub with every commit, without which the suite of two releases would be skipped", () => {
    const workflow = parse(readFileSync(resolve(import.meta.dirname, "../.github/workflows/build.yml"), "utf8"));
    const checkout = workflow.jobs.everything.steps.find(({ name }: { name: string }) => name === "Checkout");
    expect(checkout).to.deep.include({ with: { "fetch-depth": 0 } });
  });
});
