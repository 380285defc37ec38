import { expect } from "chai";
import { describe, it } from "mocha";
import { Fitness, judge, type TestRunner } from "../tools/mutants/judge.js";
import { mutationsOf } from "../tools/mutants/mutations.js";
import { reachingTests } from "../tools/mutants/reaching-tests.js";
import { changedLines, type Mutant, mutantsOf, shuffled } from "../tools/mutants/sample.js";
import type { TestRun } from "../tools/mutants/working-copy.js";

const FILE = "operator/src/match/a.ts";

/** The text after each mutation, with the kind of change. */
function mutated(text: string): readonly string[] {
  return mutationsOf(FILE, text).map(
    ({ change, start, end, after }) => `${change}: ${text.slice(0, start)}${after}${text.slice(end)}`,
  );
}

describe("the mutations of a file", () => {
  const cases: readonly (readonly [text: string, ...after: string[]])[] = [
    [
      "if (a < 2) b();",
      "negated condition: if (!(a < 2)) b();",
      "swapped operator: if (a <= 2) b();",
      "changed constant: if (a < 4) b();",
      "removed statement: if (a < 2) {}",
    ],
    ["f(a && b);", "removed statement: {}", "swapped operator: f(a || b);"],
    ["await f();", "removed statement: {}", "dropped await: void f();"],
    ["const a = !b ? c : d;", "negated condition: const a = !(!b) ? c : d;", "dropped negation: const a = b ? c : d;"],
    ["const a = list.filter(f);", "dropped filter: const a = list;"],
    ["const a = list.some(f);", "swapped method: const a = list.every(f);"],
    ["const f = () => list;", "empty list: const f = () => [];"],
    ["const f = () => [];"],
    ["function f() { return []; }"],
    [
      "const a = { b: true, c: 0 };",
      "changed constant: const a = { b: false, c: 0 };",
      "changed constant: const a = { b: true, c: 1 };",
    ],
  ];
  for (const [text, ...after] of cases)
    it(`are these for: ${text}`, () => {
      expect(mutated(text)).to.have.members(after);
    });

  it("include a guard that is removed, with its return", () => {
    const found = mutated("function f() { if (a) { g(); return; } h(); }");
    expect(found).to.include("removed guard: function f() { {} h(); }");
  });

  it("leave out imports, types, templates and the log", () => {
    const text = `import { a } from "b";\ntype A = true;\nconst c = \`\${d ? 1 : 2}\`;\nthis.logger.info({ e: 1 }, "f");`;
    expect(mutated(text)).to.deep.equal([]);
  });
});

describe("the sample of mutants", () => {
  const text = Array.from({ length: 40 }, (_, index) => `call${index}();`).join("\n");
  const files = ["match/a", "match/b", "messages/c", "kube/d"].map((path) => `operator/src/${path}.ts`);
  const all = files.flatMap((file) => mutantsOf(file, text));
  const places = (mutants: readonly Mutant[]): readonly string[] => mutants.map(({ file, line }) => `${file}:${line}`);

  it("is the same for the same seed and another one for another seed", () => {
    expect(shuffled(all, "1")).to.deep.equal(shuffled(all, "1"));
    expect(places(shuffled(all, "1"))).not.to.deep.equal(places(shuffled(all, "2")));
  });

  it("stays the same when another part of the file changes", () => {
    const edited = files.flatMap((file) => mutantsOf(file, `// a comment\n\n${text}`));
    expect(shuffled(edited, "1").map(({ before }) => before)).to.deep.equal(
      shuffled(all, "1").map(({ before }) => before),
    );
  });

  it("has a few mutants of each file, and none of the texts", () => {
    const taken = shuffled(all, "1").map(({ file }) => file);
    expect(files.map((file) => taken.filter((one) => one === file).length)).to.deep.equal([3, 3, 0, 3]);
  });

  it("has more mutants of decisions than of the rest", () => {
    const many = Array.from({ length: 100 }, (_, index) => [`match/${index}`, `kube/${index}`]).flat();
    const sample = shuffled(
      many.flatMap((path) => mutantsOf(`operator/src/${path}.ts`, "call();")),
      "1",
    ).slice(0, 100);
    expect(sample.filter(({ file }) => file.includes("/match/")).length).to.be.greaterThan(60);
  });

  it("is only of the lines that changed", () => {
    const diff = "--- a/a.ts\n+++ b/a.ts\n@@ -1 +2 @@\n+x\n@@ -5,2 +6,2 @@\n+y\n@@ -9,2 +10,0 @@\n-z";
    const lines = changedLines(diff).get("a.ts");
    expect([...(lines ?? [])]).to.deep.equal([2, 6, 7]);
    expect(places(mutantsOf(FILE, text, lines))).to.deep.equal([2, 6, 7].map((line) => `${FILE}:${line}`));
  });
});

describe("the tests that run against a mutant", () => {
  it("begin with the module's own, then come by the number of imports between, without the slow ones", () => {
    const graph = new Map([
      ["operator/src/match/a.ts", []],
      ["operator/src/operator.ts", ["operator/src/match/a.ts"]],
      ["operator/test/claims/direct.test.ts", ["operator/src/match/a.ts"]],
      ["operator/test/match/direct.test.ts", ["operator/src/match/a.ts"]],
      ["operator/test/match/a-random.test.ts", ["operator/src/operator.ts"]],
      ["operator/test/operator/far.test.ts", ["operator/src/operator.ts"]],
      ["operator/test/e2e/slow.test.ts", ["operator/src/match/a.ts"]],
      ["operator/test/match/other.test.ts", []],
    ]);
    expect(reachingTests(graph, FILE)).to.deep.equal([
      "operator/test/match/a-random.test.ts",
      "operator/test/match/direct.test.ts",
      "operator/test/claims/direct.test.ts",
      "operator/test/operator/far.test.ts",
    ]);
  });

  const [mutant] = mutantsOf(FILE, "call();") as [Mutant];
  const tests = Array.from({ length: 5 }, (_, index) => `${index}.test.ts`);

  /** Fails in these files, with the mutant or always. */
  function runner(withMutant: readonly string[], always: readonly string[] = []): TestRunner & { runs: string[][] } {
    const runs: string[][] = [];
    const run = (files: readonly string[], failing: readonly string[]): Promise<TestRun> => {
      runs.push([...files]);
      const file = files.find((one) => failing.includes(one));
      return Promise.resolve(
        file === undefined ? { passed: true } : { passed: false, timedOut: false, file, title: `fails in ${file}` },
      );
    };
    return {
      runs,
      run: (files) => run(files, always),
      runWith: (_, files) => run(files, [...always, ...withMutant]),
    };
  }

  it("kill it with the first failure, and the others do not run", async () => {
    const one = runner(["1.test.ts"]);
    expect(await judge(one, mutant, tests, new Fitness())).to.deep.equal({
      outcome: "killed",
      by: "fails in 1.test.ts",
      ran: 3,
    });
    expect(one.runs).to.deep.equal([tests.slice(0, 3), ["1.test.ts"]]);
  });

  it("do not kill it by a failure that the file also has without it", async () => {
    const fitness = new Fitness();
    expect(await judge(runner([], ["1.test.ts"]), mutant, tests, fitness)).to.deep.equal({
      outcome: "survived",
      ran: 4,
    });
    expect([...fitness.unfit]).to.deep.equal(["1.test.ts"]);
  });

  it("leave a survivor if all pass, and there may be none", async () => {
    expect((await judge(runner([]), mutant, tests, new Fitness())).outcome).to.equal("survived");
    expect((await judge(runner([]), mutant, [], new Fitness())).outcome).to.equal("no test reaches it");
  });
});
