import { expect } from "chai";
import { describe, it } from "mocha";
import { importCycles, importGraph, linesOf } from "../tools/numbers/imports.js";
import { measure } from "../tools/numbers/measure.js";

describe("the structure of the code", () => {
  const imports = importGraph();
  const measurements = measure({ imports, lines: linesOf(imports) });

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

  it("rejects a cycle, a full folder and a long file, and counts the operator without the sandbox", () => {
    const full = Array.from({ length: 21 }, (_, index) => `operator/src/full/${index}.ts`);
    const lines = new Map([...full, "operator/src/sandbox/a.ts", "operator/src/b.ts"].map((file) => [file, 30]));
    lines.set("operator/src/long.ts", 301);
    const imports = new Map([
      ["operator/src/b.ts", ["operator/src/long.ts", "operator/src/full/0.ts"]],
      ["operator/src/long.ts", ["operator/src/b.ts"]],
    ]);
    const found = measure({ lines, imports });
    expect(found.map(({ value }) => value)).to.deep.equal([22 * 30 + 301, 23, 1, 1, 1, 2]);
    expect(found.flatMap(({ refused = [] }) => refused)).to.deep.equal([
      "operator/src/b.ts operator/src/long.ts",
      "operator/src/full: 21",
      "operator/src/long.ts: 301",
    ]);
  });
});
