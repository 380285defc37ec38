import { expect } from "chai";
import { describe, it } from "mocha";
import { deadExports } from "../tools/numbers/dead-exports.js";
import { allTexts, importCycles, importGraph, linesOf } from "../tools/numbers/imports.js";
import { linesByArea } from "../tools/numbers/line-limits.js";
import { measure } from "../tools/numbers/measure.js";

describe("the structure of the code", () => {
  const imports = importGraph();
  const measurements = measure({ imports, lines: linesOf(imports), texts: allTexts() });

  for (const { name, refused } of measurements.filter((one) => one.refused !== undefined)) {
    it(`has no ${name}`, () => {
      expect(refused).to.deep.equal([]);
    });
  }
});

describe("the measurement of the structure", () => {
  it("finds every import cycle: a short one, a long one, two that share a file, a file that imports itself", () => {
    const graph = new Map([
      ["a", ["b", "e"]],
      ["b", ["a"]],
      ["c", ["d", "x"]],
      ["d", ["c", "f"]],
      ["e", ["a", "c"]],
      ["f", ["f"]],
      ["x", []],
    ]);
    expect(importCycles(graph)).to.have.deep.members([["a", "b", "e"], ["c", "d"], ["f"]]);
  });

  it("rejects a cycle, a full folder, a long file, an unused export, and files outside of the areas", () => {
    const many = Array.from({ length: 21 }, (_, index) => `operator/src/many/${index}.ts`);
    const lines = new Map([...many, "elsewhere/a.ts", "operator/src/b.ts"].map((file) => [file, 30]));
    lines.set("operator/src/long.ts", 301);
    const imports = new Map([
      ["operator/src/b.ts", ["operator/src/long.ts", "operator/src/many/0.ts"]],
      ["operator/src/long.ts", ["operator/src/b.ts"]],
    ]);
    const tests = Array.from({ length: 21 }, (_, index) => `operator/test/full/${index}.test.ts`);
    const texts = new Map([
      ...tests.map((file) => [file, ""] as const),
      ["operator/src/b.ts", "export const unused = 1;"],
    ]);
    const found = measure({ lines, imports, texts });
    expect(found.map(({ value }) => value)).to.deep.equal([22 * 30 + 301, 1, 1, 1, 1, 2, 1]);
    expect(found.flatMap(({ refused = [] }) => refused)).to.deep.equal([
      "no area: 30 lines, at most 0",
      "operator/src/b.ts operator/src/long.ts",
      "operator/test/full: 21",
      "operator/src/long.ts: 301",
      "operator/src/b.ts: unused",
    ]);
  });

  it("counts a file to the longest area that contains it", () => {
    const lines = new Map([
      ["a/one.ts", 1],
      ["a/b/two.ts", 2],
      ["a/bc/three.ts", 4],
      ["d.ts", 8],
    ]);
    const sums = linesByArea(lines, ["a", "a/b"]);
    expect([...sums]).to.deep.equal([
      ["a", 5],
      ["a/b", 2],
      ["no area", 8],
    ]);
  });

  it("takes an export as used if its name is anywhere else, also in its own file or in a test", () => {
    const texts = new Map([
      ["a.ts", "export function used() {}\nexport interface Own {}\nexport const one: Own = 1;\nexport type Dead = 1;"],
      ["a.test.ts", "used(); one;"],
    ]);
    expect(deadExports(texts)).to.deep.equal(["a.ts: Dead"]);
  });
});
