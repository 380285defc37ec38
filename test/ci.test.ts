import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect } from "chai";
import { describe, it } from "mocha";
import { parse } from "yaml";
import { addCounts, NONE, parseCounts, sumLine } from "../.ci/counts.js";
import { runInLanes } from "../.ci/lanes.js";
import { SUITES, type Suite } from "../.ci/suites.js";

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

  it("counts a mocha process that ended without counts as failed", () => {
    const ended = [{ running: 1 }, { running: -1, passed: 2, failed: 0, skipped: 0, failedTests: [] }];
    const text = [{ running: 1 }, ...ended].map((line) => `${JSON.stringify(line)}\n`).join("");
    const failedTests = ["a mocha process ended without counts"];
    expect(parseCounts(text)).to.deep.equal({ passed: 2, failed: 1, skipped: 0, failedTests });
  });

  it("is zero if no test ran", () => {
    expect(addCounts(parseCounts(""), NONE)).to.deep.equal(NONE);
  });

  it("ends with the line that other tools parse", () => {
    expect(sumLine({ ...NONE, passed: 123, skipped: 2 })).to.match(/^\d+ passed, \d+ failed, \d+ skipped$/);
  });
});

describe("lanes", () => {
  /** What started (+) and ended (-), if the pieces end in the order of `endings`. */
  async function play(pieces: readonly { name: string; needs?: string }[], lanes: number, endings: string) {
    const log: string[] = [];
    const ends = new Map<string, () => void>();
    const results = runInLanes(pieces, lanes, async ({ name }) => {
      log.push(`+${name}`);
      await new Promise<void>((end) => ends.set(name, end));
      log.push(`-${name}`);
      return name.toUpperCase();
    });
    // Node warns of a rejection without a handler, and this function awaits the results only below.
    results.catch(() => undefined);
    for (const name of endings) {
      await new Promise(setImmediate);
      ends.get(name)?.();
    }
    await new Promise(setImmediate);
    const inTime = log.join(" ");
    // Whatever is left ends too, so that a wrong order fails at once and not by a time limit.
    const rest = setInterval(() => {
      for (const end of ends.values()) end();
    });
    const inOrder = await results.finally(() => clearInterval(rest));
    return { log: inTime, results: inOrder };
  }
  const pieces = ["a", "b", "c", "d"].map((name) => ({ name }));

  it("run as many pieces at a time as there are lanes, and give results in the order of the pieces", async () => {
    const { log, results } = await play(pieces, 2, "bcad");
    expect(log).to.equal("+a +b -b +c -c +d -a -d");
    expect(results).to.deep.equal(["A", "B", "C", "D"]);
  });

  it("start a piece after the one that it needs, and others before it", async () => {
    const { log } = await play([{ name: "a" }, { name: "b", needs: "a" }, { name: "c" }], 2, "cab");
    expect(log).to.equal("+a +c -c -a +b -b");
  });

  it("do not wait for a piece that does not run", async () => {
    const { log } = await play([{ name: "b", needs: "a" }], 2, "b");
    expect(log).to.equal("+b -b");
  });

  it("say which pieces wait for each other", async () => {
    const both = [
      { name: "a", needs: "b" },
      { name: "b", needs: "a" },
    ];
    const error = await play(both, 2, "").catch((reason: unknown) => reason);
    expect(error).to.have.property("message", "these wait for each other: a, b");
  });
});

describe("the suites of CI", () => {
  it("have unique names, because each writes a file with its name", () => {
    expect(new Set(SUITES.map(({ name }) => name)).size).to.equal(SUITES.length);
  });

  it("fit into half an hour", () => {
    // .ci/run does not run group check; after the unit tests, three lanes share the rest.
    const seconds = (suites: readonly Suite[]) => suites.reduce((sum, { budgetSeconds }) => sum + budgetSeconds, 0);
    const unit = SUITES.filter(({ group }) => group === "unit");
    const rest = SUITES.filter(({ group }) => group !== "unit" && group !== "check");
    expect(seconds(unit) + seconds(rest) / 3).to.be.at.most(30 * 60);
  });

  it("need only suites of their own group, so that a group can run by itself", () => {
    const strays = SUITES.filter(({ needs, group }) => {
      return needs !== undefined && !SUITES.some((suite) => suite.name === needs && suite.group === group);
    });
    expect(strays).to.deep.equal([]);
  });

  it("run on GitHub with every commit, without which the suite of two releases would be skipped", () => {
    const workflow = parse(readFileSync(resolve(import.meta.dirname, "../.github/workflows/build.yml"), "utf8"));
    const checkout = workflow.jobs.everything.steps.find(({ name }: { name: string }) => name === "Checkout");
    expect(checkout).to.deep.include({ with: { "fetch-depth": 0 } });
  });
});
